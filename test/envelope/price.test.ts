import { expect, it, test } from 'vitest';
import { bundledPrices } from '../../src/adapters/gather/bundled-models.ts';
import { repairUsage } from '../../src/protocol/usage.ts';
import { findPrice, type ModelPrice, usageWithCost } from '../../src/core/envelope/prices.ts';

const price: ModelPrice = { input: 2, cachedInput: 0.1, cacheWrite: 2.5, output: 10, source: 'model_prices' };
const usage = repairUsage({ input: 1000, cachedInput: 600, cacheWriteInput: 100, output: 50 });

test.each<[string, ModelPrice, number]>([
  ['each sort of token at its price', price, 300 * 2000 + 600 * 100 + 100 * 2500 + 50 * 10_000],
  [
    'cached input without a price of its own costs as input',
    { input: 2, output: 10, source: '' },
    1000 * 2000 + 500_000,
  ],
  ['nothing, where a model is free', { input: 0, output: 0, source: '' }, 0],
])('%s', (_, at, nanoUsd) => {
  expect(usageWithCost(usage, at).cost).toEqual({ nanoUsd, unpriced: 0 });
});

it('has no cost without a price, and none for a request that is too long for it', () => {
  expect(usageWithCost(usage, undefined)).toBe(usage);
  expect(usageWithCost(usage, { ...price, mostInput: 999 })).toBe(usage);
});

const openai = { provider: 'openai', model: 'gpt-6.1-sol', address: 'https://api.openai.com/v1' };

test.each<[string, Parameters<typeof findPrice>[1], boolean]>([
  ['the model at its own address', openai, true],
  ['the same with a date behind its name', { ...openai, model: 'gpt-6.1-sol-2026-09-29' }, true],
  ['a model with more behind its name', { ...openai, model: 'gpt-6.1-sol-mini' }, false],
  ['another server under the name', { ...openai, address: 'http://localhost:1234/v1' }, false],
  ['another tier', { ...openai, serviceTier: 'priority' }, false],
  ['another provider', { ...openai, provider: 'mine' }, false],
  ['an unknown model', { ...openai, model: 'gpt-oss' }, false],
])('a bundled price: %s', (_, asked, isKnown) => {
  expect(findPrice(bundledPrices, asked) !== undefined).toBe(isKnown);
});

it('a price that the user set goes before a bundled one, at any address', () => {
  const own = { provider: 'openai', model: 'gpt-6.1-sol', input: 9, output: 9, source: 'model_prices' };
  const asked = { ...openai, address: 'http://localhost:1/v1', serviceTier: 'priority' };
  expect(findPrice([own, ...bundledPrices], asked)).toEqual({ input: 9, output: 9, source: 'model_prices' });
});

it('every bundled price says when it was right and where it comes from', () => {
  for (const entry of bundledPrices) {
    expect(entry).toMatchObject({
      asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      source: expect.stringMatching(/^https:/),
    });
    expect(entry.output).toBeGreaterThan(entry.input);
    expect(entry.cachedInput).toBeLessThan(entry.input);
  }
});
