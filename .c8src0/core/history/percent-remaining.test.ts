import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noUsage } from '../../protocol/usage.ts';
import { percentRemaining, usageAfterOverflow } from './window-usage.ts';

describe('percentRemaining', () => {
  it.each([
    [258_400, 0, 100],
    [258_400, 12_000, 100],
    [258_400, 100_000, 64],
    [258_400, 258_400, 0],
    [258_400, 900_000, 0],
    [12_000, 0, 0],
    [8_000, 0, 0],
  ])('of a window of %i with %i used is %i', (effective, total, percent) => {
    expect(percentRemaining({ effective, baseline: 12_000, tokens: total })).toBe(percent);
  });

  it('is a whole number from 0 to 100 that never grows with use', () => {
    fc.assert(
      fc.property(fc.nat(2e6), fc.nat(2e4), fc.nat(3e6), fc.nat(1e6), (effective, baseline, total, more) => {
        const percent = percentRemaining({ effective, baseline, tokens: total });
        expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true);
        expect(percentRemaining({ effective, baseline, tokens: total + more })).toBeLessThanOrEqual(percent);
      }),
    );
  });
});

it('after an overflow the window is full, however much the thread has used before', () => {
  const total = { ...noUsage, input: 3_000_000, output: 50_000, total: 3_050_000 };
  const after = usageAfterOverflow(258_400, total);
  expect(after).toEqual({ total, last: { ...noUsage, total: 258_400 } });
  expect(percentRemaining({ effective: 258_400, baseline: 12_000, tokens: after.last.total })).toBe(0);
});
