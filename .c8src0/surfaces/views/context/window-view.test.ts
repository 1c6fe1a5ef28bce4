import { expect, it } from 'vitest';
import { noUsage } from '../../../protocol/usage.ts';
import { requestCost } from './window-view.ts';

const usage = { ...noUsage, input: 1000, cachedInput: 800, output: 10, total: 1010 };
const cost = { nanoUsd: 1, unpriced: 0 };
const priced = { identity: { price: { input: 2, cachedInput: 1, output: 8, source: 'model_prices' } } };

it('the next request is foreseen with the cache and without it', () => {
  const counted = { request: 1, usage: { ...usage, cost } };
  const { last, next } = requestCost({ total: 1500, counted }, priced);
  expect(last).toEqual(counted.usage);
  expect(next?.cached.cost).toEqual({ nanoUsd: 1000 * 1000 + 500 * 2000, unpriced: 0 });
  expect(next?.uncached.cost).toEqual({ nanoUsd: 1500 * 2000, unpriced: 0 });
});

it('nothing is foreseen where nothing was counted, or the last request had no price', () => {
  expect(requestCost({ total: 1500 }, priced)).toEqual({});
  expect(requestCost({ total: 1500, counted: { request: 1, usage } }, priced)).toEqual({ last: usage });
  const counted = { request: 1, usage: { ...usage, cost } };
  expect(requestCost({ total: 1500, counted }, undefined)).toEqual({ last: counted.usage });
});
