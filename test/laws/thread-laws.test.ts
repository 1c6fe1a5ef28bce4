import fc from 'fast-check';
import { expect, it } from 'vitest';
import { playAndCheck, randomTurns } from './thread-laws.ts';

it('random threads obey the laws of refold, rebuild and prefix on a disk that forgets what was not synced', async () => {
  await fc.assert(fc.asyncProperty(randomTurns, playAndCheck), { numRuns: 150 });
}, 120_000);

it('a thread that goes well obeys them too, and is not vacuous', async () => {
  expect.hasAssertions();
  await playAndCheck([
    { words: 'hello', world: {}, steps: [], accident: 'none', at: 0, luck: 0 },
    { words: 'again', world: { cwd: '/x', mode: 'read-only' }, steps: [], accident: 'none', at: 0, luck: 0 },
  ]);
});
