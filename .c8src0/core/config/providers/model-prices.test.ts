import { expect, it, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { resolveConfig } from '../config.ts';
import { configuredPrices } from './model-prices.ts';

function read(values: JsonObject) {
  return resolveConfig([{ name: 'user', source: '/home/config.toml', values }]);
}

it('reads prices by provider and model, whose name may have slashes', () => {
  const { config, problems } = read({
    model_prices: {
      'openrouter/anthropic/claude': {
        input: 3,
        cached_input: 0.3,
        cache_write: 3.75,
        output: 15,
        as_of: '2026-11-01',
      },
    },
  });
  expect(problems).toEqual([]);
  expect(configuredPrices(config)).toEqual([
    {
      provider: 'openrouter',
      model: 'anthropic/claude',
      input: 3,
      cachedInput: 0.3,
      cacheWrite: 3.75,
      output: 15,
      asOf: '2026-11-01',
    },
  ]);
});

test.each<[string, JsonObject, string]>([
  ['no output', { 'a/b': { input: 1 } }, 'lacks "output"'],
  ['nothing', { 'a/b': {} }, 'lacks "input" and "output"'],
  ['no provider', { gpt: { input: 1, output: 1 } }, 'must be named by provider and model'],
  ['less than nothing', { 'a/b': { input: -1, output: 1 } }, 'must be an amount of US dollars of at least 0'],
  ['a text', { 'a/b': { input: '1', output: 1 } }, 'must be an amount of US dollars'],
  ['no day', { 'a/b': { input: 1, output: 1, as_of: 'May' } }, 'must be a day such as "2026-11-01"'],
])('%s is an error', (_, modelPrices, message) => {
  const { problems } = read({ model_prices: modelPrices });
  expect(problems).toContainEqual(
    expect.objectContaining({ severity: 'error', message: expect.stringContaining(message) }),
  );
});

test.each([
  [{ max_turn_cost: 0 }, 'must be an amount of US dollars above 0'],
  [{ max_thread_tokens: 0 }, 'must be a whole number of at least 1'],
])('a limit of nothing is an error: %j', (values, message) => {
  expect(read(values).problems[0]).toMatchObject({ severity: 'error', message: expect.stringContaining(message) });
});
