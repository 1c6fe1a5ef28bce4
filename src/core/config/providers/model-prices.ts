import { isJsonObject, type JsonObject, valueAt } from '../../../protocol/json.ts';
import type { CheckedConfigLayer } from '../keys/check-layers.ts';
import { type ConfigProblem, configKeyProblem } from '../layer-order.ts';
import type { GivenConfigValues } from '../keys/key-table.ts';
import { formatTomlKey } from '../toml/toml-key.ts';

const table = 'model_prices';

/** In US dollars per million tokens. The configuration must have been checked. */
export function configuredPrices({ modelPrices = {} }: Pick<GivenConfigValues, 'modelPrices'>) {
  return Object.entries(modelPrices).flatMap(([name, { input, output, ...rest }]) => {
    const [provider, model] = splitName(name);
    if (provider === '' || model === '' || input === undefined || output === undefined) return [];
    return [{ provider, model, input, output, ...rest }];
  });
}

/** Unusable prices. The highest layer that names one is reported. */
export function priceProblems(checked: readonly CheckedConfigLayer[], merged: JsonObject): readonly ConfigProblem[] {
  const prices = valueAt(merged, [table]);
  if (!isJsonObject(prices)) return [];
  return Object.entries(prices).flatMap(([name, price]) => {
    const path = [table, name];
    const layer = checked.findLast(({ values }) => valueAt(values, path) !== undefined)?.layer;
    const wrong = isJsonObject(price) ? whatIsWrong(name, price) : undefined;
    if (layer === undefined || wrong === undefined) return [];
    return [configKeyProblem(layer, path, { code: 'config-wrong-value', severity: 'error', ...wrong })];
  });
}

function whatIsWrong(name: string, price: JsonObject): (Pick<ConfigProblem, 'next'> & { what: string }) | undefined {
  const [provider, model] = splitName(name);
  if (provider === '' || model === '') {
    const next = `Write the id of the provider and the model: [${formatTomlKey([table, 'openai/gpt-5.5'])}].`;
    return { what: 'must be named by provider and model', next };
  }
  const missing = ['input', 'output'].filter((key) => price[key] === undefined);
  if (missing.length === 0) return undefined;
  const next = 'Add the price in US dollars per million tokens.';
  return { what: `lacks ${missing.map((key) => `"${key}"`).join(' and ')}`, next };
}

/** Splits at the first slash: model names may contain slashes. */
function splitName(name: string): readonly [provider: string, model: string] {
  const slash = name.indexOf('/');
  return slash === -1 ? ['', ''] : [name.slice(0, slash).trim(), name.slice(slash + 1).trim()];
}
