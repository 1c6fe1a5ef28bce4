import { expect, test } from 'vitest';
import { retryDelay } from './model-failure.ts';

test('delays double from 200 ms, vary by a tenth and stop growing at a minute', () => {
  const range = (attempt: number): readonly number[] => [
    retryDelay(attempt, () => 0),
    retryDelay(attempt, () => 0.5),
    retryDelay(attempt, () => 1),
  ];
  expect([1, 2, 3, 100].map((attempt) => range(attempt).map(Math.round))).toEqual([
    [180, 200, 220],
    [360, 400, 440],
    [720, 800, 880],
    [54_000, 60_000, 66_000],
  ]);
});
