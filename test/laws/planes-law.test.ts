import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { lawRuns } from '../harness/law-runs.ts';
import { type PlanesSeen, playPlanes } from './planes-law.ts';
import { randomPlanes } from './random-planes.ts';

const factor = inject('runFactor');
const runs = lawRuns({ few: 2, usual: 5 });

it('random threads with skills, hooks, servers that come and go, and agents obey the laws', async () => {
  const seen = { agents: 0, served: 0, kills: 0, checkpoints: 0, reviews: 0, hooked: 0 };
  await fc.assert(
    fc.asyncProperty(randomPlanes, async (turns) => {
      const met: PlanesSeen = await playPlanes(turns);
      for (const key of Object.keys(seen) as (keyof PlanesSeen)[]) seen[key] += met[key];
    }),
    { numRuns: runs },
  );
  // Few runs do not meet everything.
  const most = factor === 1 ? [seen.agents, seen.hooked] : Object.values(seen).map((count) => count / (runs / 10));
  expect(Math.min(...most), JSON.stringify(seen)).toBeGreaterThan(0.99);
}, 1_800_000);
