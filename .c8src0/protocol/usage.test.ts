import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addUsage, carryCostForward, repairUsage, noUsage, type Usage, usageSince, usedTokens } from './usage.ts';

const tokens = fc.nat(1_000_000);

/** With a cost, without one, and with an estimate. */
const usages: fc.Arbitrary<Usage> = fc
  .record({
    input: tokens,
    output: tokens,
    estimated: fc.nat(5000),
    nanoUsd: fc.option(fc.nat(10 ** 12)),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ input, output, estimated, nanoUsd, share }) =>
    repairUsage({
      input,
      output,
      estimated,
      ...(nanoUsd !== null && { cost: { nanoUsd, unpriced: Math.round(share * (input + output)) } }),
    }),
  );

it('sums are the same in whatever order they are made', () => {
  fc.assert(
    fc.property(usages, usages, usages, (a, b, c) => {
      expect(addUsage(a, addUsage(b, c))).toEqual(addUsage(addUsage(a, b), c));
      expect(addUsage(a, b)).toEqual(addUsage(b, a));
      expect(addUsage(a, noUsage)).toEqual(a);
    }),
  );
});

it('every token of a sum has a price or counts as one without', () => {
  fc.assert(
    fc.property(usages, usages, (a, b) => {
      const unpriced = ({ cost, total, estimated = 0 }: Usage) => cost?.unpriced ?? total + estimated;
      expect(unpriced(addUsage(a, b))).toBe(unpriced(a) + unpriced(b));
    }),
  );
});

it('what came since a part of a sum is the rest of it', () => {
  fc.assert(
    fc.property(usages, usages, (a, b) => {
      const { cost, ...counts } = usageSince(a, addUsage(a, b));
      const { cost: own, ...expected } = b;
      expect(counts).toEqual(expected);
      // A sum with a price in it knows how much of it has none.
      const rest = own ?? (a.cost && { nanoUsd: 0, unpriced: b.total + (b.estimated ?? 0) });
      expect(cost).toEqual(rest);
    }),
  );
});

it.each([[{ nanoUsd: -1, unpriced: 0 }], [{ nanoUsd: 1.5, unpriced: 0 }], [{ nanoUsd: 5 }], ['5'], [null]])(
  'a cost that makes no sense is unknown, and not zero: %j',
  (cost) => {
    expect(repairUsage({ input: 1, cost })).not.toHaveProperty('cost');
  },
);

it('another program that writes a total without a cost does not lose what was known', () => {
  const before = repairUsage({ input: 100, cost: { nanoUsd: 7, unpriced: 0 } });
  expect(carryCostForward(before, repairUsage({ input: 150 })).cost).toEqual({ nanoUsd: 7, unpriced: 50 });
  expect(carryCostForward(noUsage, repairUsage({ input: 150 }))).not.toHaveProperty('cost');
});

it('what was used is input that no cache had, and output; a sum that makes no sense takes nothing away', () => {
  expect(usedTokens({ ...noUsage, input: 1000, cachedInput: 900, output: 50, total: 1050 })).toBe(150);
  expect(usedTokens({ ...noUsage, input: 10, cachedInput: 900, output: 50 })).toBe(50);
});
