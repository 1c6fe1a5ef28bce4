import type { Config } from '../../config/config.ts';
import { configuredPrices } from '../../config/model-prices.ts';
import { configuredSource, type PriceEntry } from '../../envelope/price.ts';
import { bundledPrices } from './bundled-prices.ts';

/** What the user set goes before what is bundled. */
export function knownPrices(config: Pick<Config, 'modelPrices'>): readonly PriceEntry[] {
  return [...configuredPrices(config).map((price) => ({ ...price, source: configuredSource })), ...bundledPrices];
}
