import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitBudget } from './cut-and-fence-text.ts';

test.each<readonly [readonly number[], number, readonly number[]]>([
  [[], 500, []],
  [[50, 60], 500, [50, 60]],
  [[9000, 60], 500, [440, 60]],
  [[60, 9000], 500, [60, 440]],
  [[9000, 60, 8000], 500, [220, 60, 220]],
  [[9000, 300, 8000], 500, [167, 166, 167]],
  // Less than 100 are of no use.
  [[9000, 9000, 9000], 250, [125, 125, 0]],
  [[9000, 40, 9000], 150, [110, 40, 0]],
  [[9000], 99, [0]],
  [[9000, 20], -1, [0, 0]],
])('%j of %i: %j', (wanted, budget, shares) => {
  expect(splitBudget(wanted, budget, 100)).toEqual(shares);
});

test('No part gets more than it wants or too little to be of use, and together they keep to the budget', () => {
  const sizes = fc.array(fc.nat(2000), { maxLength: 12 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: -10, max: 5000 }), (wanted, budget) => {
      const shares = splitBudget(wanted, budget, 100);
      expect(shares).toHaveLength(wanted.length);
      for (const [index, share] of shares.entries())
        expect(share === wanted[index] || share === 0 || (share >= 100 && share < wanted[index]!)).toBe(true);
      expect(shares.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(Math.max(0, budget));
    }),
  );
});
