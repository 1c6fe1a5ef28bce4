import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { it } from 'vitest';
import { playPlanes } from './planes-law.ts';
import { randomPlanes } from './random-planes.ts';
it('x', async () => {
  for (const turns of fc.sample(randomPlanes, {
    numRuns: Number(process.env['N'] ?? 6),
    seed: Number(process.env['S'] ?? 1),
  })) {
    const t = performance.now();
    try {
      const seen = await playPlanes(turns);
      appendFileSync(
        '/tmp/prof.txt',
        [Math.round(performance.now() - t), turns.length, JSON.stringify(seen)].join(' ') + '\n',
      );
    } catch (e) {
      appendFileSync(
        '/tmp/prof.txt',
        [
          'FAIL',
          String((e as Error).stack).slice(0, 400),
          JSON.stringify({ e: (e as { expected?: unknown }).expected, a: (e as { actual?: unknown }).actual }),
          JSON.stringify(turns),
        ].join(' ') + '\n',
      );
    }
  }
}, 600000);
