import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lawRuns } from '../harness/law-runs.ts';
import { quietTurn, type RandomTurn, randomTurns } from './random-turns.ts';
import { playAndCheck } from './thread-laws.ts';

const runs = lawRuns({ few: 24, usual: 60 });

it('random threads obey the laws on a disk that forgets what was not synced', async () => {
  const seen = {
    quiet: 0,
    changed: 0,
    installed: 0,
    failed: 0,
    lost: 0,
    left: 0,
    answered: 0,
    hooked: 0,
    continued: 0,
    passedOn: 0,
  };
  await fc.assert(
    fc.asyncProperty(randomTurns, async (turns) => {
      const met = await playAndCheck(turns);
      for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += met[key];
    }),
    { numRuns: runs },
  );
  expect(Math.min(seen.quiet, seen.changed)).toBeGreaterThan(runs / 2);
  expect(seen.installed).toBeGreaterThan(runs / 4);
  expect(seen.left).toBeGreaterThan(runs / 30);
  expect(seen.answered).toBeGreaterThan(0);
  expect(seen.hooked).toBeGreaterThan(runs);
  expect(seen.passedOn).toBeGreaterThan(runs / 30);
}, 600_000);

it('a thread that goes well obeys them too, and is not vacuous', async () => {
  const turn: RandomTurn = { ...quietTurn, at: 0, afterwards: 'world' };
  const seen = await playAndCheck([turn, { ...turn, world: { cwd: '/x', mode: 'read-only' } }, turn]);
  const none = {
    installed: 0,
    failed: 0,
    lost: 0,
    left: 0,
    answered: 0,
    hooked: 0,
    continued: 0,
    passedOn: 0,
    incremental: 0,
  };
  expect(seen).toEqual({ quiet: 1, changed: 2, ...none });
});
