import fc from 'fast-check';
import { it } from 'vitest';
import { playAndCheck, randomTurns } from '../laws/thread-laws.ts';

it('a great many random threads obey the laws', async () => {
  await fc.assert(fc.asyncProperty(randomTurns, playAndCheck), { numRuns: 2000 });
}, 600_000);
