import { type Catalogue, lookUpModel } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import { nominalPercent, nominalWindow } from '../../envelope/window.ts';

/** Tokens of the effective window under these settings, before any turn is resolved. */
export function settingsWindow({ model, window = {} }: Settings, catalogue: Catalogue): number {
  const record = lookUpModel(catalogue, model);
  const whole = window.contextWindow ?? nominalWindow(record);
  return window.effectiveTokens ?? Math.floor((whole * (window.effectivePercent ?? nominalPercent(record))) / 100);
}
