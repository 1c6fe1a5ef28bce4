import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ScriptedModel } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { inputOf, type Scene, textsOf } from '../harness/scene.ts';

/** The message about a start that is refused: what happened, and what to do. */
export type Refusal = readonly [message: string, next: string];

/** Nothing on standard output, the reason on standard error. It is the same with `--json`: there is no turn to tell of. */
export function refusal([message, next]: Refusal, code = 1): Finished {
  const rows = [...message.split('\n'), next].join('\n         ');
  return { code, signal: null, stdout: '', stderr: `capstan: ${rows}\n`, events: [] };
}

/** The run was refused before anything was sent or written. */
export function expectRefused({ model, place }: Scene, run: Finished, reason: Refusal, code = 1): void {
  expect(run).toEqual(refusal(reason, code));
  expect([model.requests.length, place.rollouts()]).toEqual([0, []]);
}

/** The beginning of the message in events when a stream fails for good. Programs know it from Codex. */
export const brokenStream = 'stream disconnected before completion: ';

/** The end of the events of a turn that failed. */
export function failedTurn(message: string): readonly JsonObject[] {
  return [
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ];
}

/** Faults are shown as they are, and not tried again. */
export function withoutRetries(place: Place): void {
  appendFileSync(join(place.home, 'config.toml'), 'request_max_retries = 0\nstream_max_retries = 0\n');
}

/** The id that the first line on standard error names. */
export function announcedId({ stderr }: Finished): string {
  return /· thread (\S+) ·/.exec(stderr)?.[1] ?? '';
}

/** The texts of the newest request to the model. */
export function lastSent(model: ScriptedModel): readonly unknown[] {
  return textsOf(inputOf(model, model.requests.length - 1));
}
