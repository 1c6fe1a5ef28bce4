import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lawRuns } from '../harness/law-runs.ts';
import { randomTurns } from '../laws/random-turns.ts';
import { playAndCheck } from '../laws/thread-laws.ts';

const runs = lawRuns({ few: 8, usual: 15 });

it('random threads over a WebSocket obey the laws, and every frame is rebuilt', async () => {
  let [installed, incremental] = [0, 0];
  await fc.assert(
    fc.asyncProperty(randomTurns, async (turns) => {
      const met = await playAndCheck(turns, 'over-socket');
      installed += met.installed;
      incremental += met.incremental;
    }),
    { numRuns: runs },
  );
  expect(installed).toBeGreaterThan(0);
  expect(incremental).toBeGreaterThanOrEqual(runs / 2);
}, 600_000);
