import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { randomTurns } from '../laws/random-turns.ts';
import { playAndCheck } from '../laws/thread-laws.ts';

it('a great many random threads obey the laws', async () => {
  const compactions = { installed: 0, failed: 0, lost: 0 };
  let continuations = 0;
  await fc.assert(
    fc.asyncProperty(randomTurns, async (turns) => {
      const { installed, failed, lost, continued } = await playAndCheck(turns);
      continuations += continued;
      compactions.installed += installed;
      compactions.failed += failed;
      compactions.lost += lost;
    }),
    { numRuns: 500 * inject('runFactor') },
  );
  // Each of the things that can happen to a compaction has happened.
  expect(Math.min(...Object.values(compactions))).toBeGreaterThan(10);
  expect(continuations).toBeGreaterThan(0);
}, 1_800_000);
