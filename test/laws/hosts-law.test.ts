import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { decidedReach, gateReach, hostCase, hostText, statedReach, targets } from './hosts-law.ts';

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
        met.add(`${given.opened} ${decided}`);
        // The gate asks only where the decision may change what it does by itself.
        const gate = gateReach(given, target);
        expect(gate === decided || gate === 'asked' ? 'agree' : `${gate}, not ${decided}`).toBe('agree');
      }
    }),
    { numRuns: 200 * inject('runFactor') },
  );
  const all = ['not', 'call', 'turn', 'session'].flatMap((opened) =>
    ['asked', 'closed', 'open'].map((reach) => `${opened} ${reach}`),
  );
  expect([...met].toSorted()).toEqual(all.toSorted());
});
