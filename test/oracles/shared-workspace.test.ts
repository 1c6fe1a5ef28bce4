import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type ScriptStepOf } from '../../src/testing/index.ts';
import type { Finished, Place, Running } from '../harness/run-capstan.ts';
import { startCodex } from './codex.ts';
import { textsOf } from './items.ts';
import { scene, startCapstan } from './scene.ts';

/** A model that runs what the user says. */
const obedient: ScriptStepOf = ({ body }) => {
  const last = (body['input'] as readonly JsonObject[]).at(-1)!;
  if (last['type'] === 'function_call_output') return answer({ items: [say('Done.')] });
  const cmd = textsOf([last]).join('');
  // Codex would leave a long command to itself after a while.
  return answer({ items: [callTool('exec_command', { cmd, yield_time_ms: 30_000 })] });
};

type Start = (place: Place, ...words: readonly string[]) => Running;

/** Two commands at once: when the first has ended, the second tries to make a folder that the sandbox protects. */
async function oneAfterTheOther(
  first: Start,
  second: Start,
): Promise<{ readonly place: Place; readonly end: Finished }> {
  const { place } = await scene(obedient);
  const path = (name: string) => join(place.workspace, name);
  const begun = async (start: Start, name: string, then: string) => {
    const running = start(place, `touch ${name}; until test -e end-${name}; do sleep 0.05; done; ${then}`);
    await vi.waitUntil(() => existsSync(path(name)), { timeout: 30_000, interval: 20 });
    return running;
  };
  const one = await begun(first, 'one', 'true');
  const two = await begun(second, 'two', 'mkdir .agents');
  writeFileSync(path('end-one'), '');
  await one.finished;
  writeFileSync(path('end-two'), '');
  return { place, end: await two.finished };
}

function expectRefused({ place, end }: { readonly place: Place; readonly end: Finished }): void {
  const command = end.events.find(({ type }) => type === 'item.completed');
  expect(command, end.stderr).toMatchObject({ item: { type: 'command_execution', exit_code: 1, status: 'failed' } });
  expect(existsSync(join(place.workspace, '.agents'))).toBe(false);
}

describe('what the sandbox protects stays protected when a command beside it ends', () => {
  it('of Capstan beside Capstan', async () => expectRefused(await oneAfterTheOther(startCapstan, startCapstan)));

  it('of Codex beside Codex', async () => expectRefused(await oneAfterTheOther(startCodex, startCodex)));

  // A path that does not exist is protected by a mount on a folder that is made for it. If the program that made the
  // folder removed it, the kernel would take the other's mount away.
  it('of Capstan beside Codex, in whose table it is', async () =>
    expectRefused(await oneAfterTheOther(startCodex, startCapstan)));

  it('of Codex beside Capstan, which asks the table of Codex', async () =>
    expectRefused(await oneAfterTheOther(startCapstan, startCodex)));
});
