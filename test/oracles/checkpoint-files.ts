import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { readCheckpointReport } from '../../src/core/state/checkpoints/checkpoint-counts.ts';
import type { Place } from '../harness/run-capstan.ts';
import { withoutNullContent } from './items.ts';

/** Keys that stand before the tables of the configuration. */
export function configure(place: Place, keys: string): void {
  const path = join(place.home, 'config.toml');
  writeFileSync(path, `${keys}\n${readFileSync(path, 'utf8')}`);
}

export async function compactByHand(place: Place, id: string): Promise<void> {
  const made = await place.run('threads', 'compact', id);
  expect(made.code, made.stderr).toBe(0);
}

/** The strategy of each checkpoint; undefined for those of Codex. */
export function strategies(place: Place): readonly unknown[] {
  return place
    .lines()
    .filter(({ type }) => type === 'compacted')
    .map(({ payload }) => readCheckpointReport(payload)?.strategy);
}

/** The items that the next request has to hold, by the files alone: the newest checkpoint and all that came since. */
export function known(place: Place): readonly JsonObject[] {
  const lines = place.lines();
  const from = lines.findLastIndex(({ type }) => type === 'compacted');
  return lines.slice(Math.max(0, from)).flatMap(({ type, payload }) => {
    if (type === 'compacted') return (payload['replacement_history'] as readonly JsonObject[]).map(withoutNullContent);
    return type === 'response_item' ? [withoutNullContent(payload)] : [];
  });
}
