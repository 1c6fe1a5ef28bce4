import { type Catalogue, lookUpModel } from '../../core/envelope/model-record.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { nominalPercent, nominalWindow } from '../../core/envelope/window.ts';

export type CatalogueOf = (settings: Pick<Settings, 'provider'>) => Catalogue;

/** Tokens of the effective window under these settings, before any turn is resolved. */
export function windowOfSettings(settings: Settings, catalogueOf: CatalogueOf): number {
  const { model, window = {} } = settings;
  const record = lookUpModel(catalogueOf(settings), model);
  const whole = window.contextWindow ?? nominalWindow(record);
  return window.effectiveTokens ?? Math.floor((whole * (window.effectivePercent ?? nominalPercent(record))) / 100);
}
