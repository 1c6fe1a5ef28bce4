import { expect, test } from 'vitest';
import type { Cost } from '../../../protocol/usage.ts';
import { moneyWords } from './cost-words.ts';

test.each<[Cost | undefined, string]>([
  [undefined, 'cost unknown'],
  [{ nanoUsd: 0, unpriced: 5 }, 'cost unknown'],
  [{ nanoUsd: 0, unpriced: 0 }, '$0.00'],
  [{ nanoUsd: 1_234_000_000, unpriced: 0 }, '$1.23'],
  [{ nanoUsd: 31_000_000, unpriced: 0 }, '$0.031'],
  [{ nanoUsd: 420_000_000, unpriced: 0 }, '$0.42'],
  [{ nanoUsd: 42_000, unpriced: 0 }, '$0.000042'],
  [{ nanoUsd: 1, unpriced: 0 }, '$0.000000001'],
  [{ nanoUsd: 50_000_000, unpriced: 1200 }, 'at least $0.050 (1,200 tokens without a price)'],
])('%j is %s', (cost, words) => {
  expect(moneyWords(cost)).toBe(words);
});
