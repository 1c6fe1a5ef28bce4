import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type RandomTurn, randomTurns } from './random-turns.ts';
import { playAndCheck } from './thread-laws.ts';

it('random threads obey the laws on a disk that forgets what was not synced', async () => {
  const seen = { quiet: 0, changed: 0 };
  await fc.assert(
    fc.asyncProperty(randomTurns, async (turns) => {
      const { quiet, changed } = await playAndCheck(turns);
      seen.quiet += quiet;
      seen.changed += changed;
    }),
    { numRuns: 150 },
  );
  expect(Math.min(seen.quiet, seen.changed)).toBeGreaterThan(100);
}, 120_000);

it('a thread that goes well obeys them too, and is not vacuous', async () => {
  const turn: RandomTurn = {
    words: 'hello',
    picture: false,
    world: {},
    injected: [],
    steps: [],
    accident: 'none',
    at: 0,
    luck: 0,
    afterwards: 'world',
    between: { kind: 'nothing' },
  };
  const seen = await playAndCheck([turn, { ...turn, world: { cwd: '/x', mode: 'read-only' } }, turn]);
  expect(seen).toEqual({ quiet: 1, changed: 2 });
});
