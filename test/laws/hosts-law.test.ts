import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { decidedReach, hostCase, hostText, statedReach, targets } from './hosts-law.ts';

test('law: what the text says about a host is what is decided about it', () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(hostCase, (given) => {
      const text = hostText(given);
      for (const target of targets) {
        const decided = decidedReach(given, target);
        expect(`${target.host}:${target.port} ${statedReach(text, target)}`).toBe(
          `${target.host}:${target.port} ${decided}`,
        );
        met.add(decided);
      }
    }),
    { numRuns: 200 * inject('runFactor') },
  );
  expect([...met].toSorted()).toEqual(['asked', 'closed', 'open']);
});
