import fc from 'fast-check';
import { it } from 'vitest';
import { randomTurns } from '../laws/random-turns.ts';
import { playAndCheck } from '../laws/thread-laws.ts';

it('a great many random threads obey the laws', async () => {
  await fc.assert(
    fc.asyncProperty(randomTurns, async (turns) => void (await playAndCheck(turns))),
    { numRuns: 2000 },
  );
}, 600_000);
