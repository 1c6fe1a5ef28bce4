import { describe, expect, it, test } from 'vitest';
import {
  hasGrownEnough,
  leastCheckpointTokens,
  minimumGrowth,
  canFreeSpace,
  nextRequestLimit,
} from './when-to-compact.ts';

const window = { effective: 100_000, autoCompact: 40_000, autoCompactScope: 'total' } as const;

describe('what must be new before another automatic checkpoint', () => {
  test.each<[string, Parameters<typeof minimumGrowth>[0], number]>([
    ['a tenth of the limit', { window, prefill: undefined }, 4000],
    ['also when the first count leaves space', { window, prefill: 39_999 }, 4000],
    ['a tenth of the window, when the first count was over the limit', { window, prefill: 40_000 }, 10_000],
    [
      'not where the limit is about the body',
      { window: { ...window, autoCompactScope: 'body' }, prefill: 90_000 },
      4000,
    ],
    ['never more than a tenth of the window', { window: { ...window, autoCompact: 500_000 }, prefill: 1 }, 10_000],
  ])('is %s', (_, since, tokens) => {
    expect(minimumGrowth(since)).toBe(tokens);
  });

  it('is asked only where a checkpoint stands', () => {
    const enough = (grown: number | undefined, prefill?: number) => hasGrownEnough({ window, prefill, grown });
    expect([enough(undefined), enough(0), enough(3999), enough(4000)]).toEqual([true, false, false, true]);
    expect([enough(undefined, 60_000), enough(4000, 60_000), enough(10_000, 60_000)]).toEqual([true, false, true]);
  });
});

it('what every request holds, and what the provider adds to it, must leave space for a checkpoint', () => {
  const every = { fixed: 10_000, context: 5000, overhead: 0 };
  const limit = 15_000 + leastCheckpointTokens;
  expect([canFreeSpace(every, limit), canFreeSpace(every, limit + 1)]).toEqual([false, true]);
  expect(canFreeSpace({ ...every, overhead: 7000 }, limit + 7000)).toBe(false);
  expect(canFreeSpace({ ...every, overhead: 7000 }, limit + 7001)).toBe(true);
});

it('the window alone binds where the limit is about the body', () => {
  expect([nextRequestLimit(window), nextRequestLimit({ ...window, autoCompactScope: 'body' })]).toEqual([
    40_000, 100_000,
  ]);
});
