import { type Catalogue, lookUpModel, type ModelRecord } from './model-record.ts';
import type { Settings, WindowSettings } from './settings.ts';
import { isWindowGuessed, largestWindow, nominalWindow, rawWindow } from './window.ts';
import { groupDigits, type Outcome } from '../../protocol/outcome.ts';

export type ModelNotice = Outcome<'model-unknown' | 'service-tier-unused' | 'window-too-large'>;

export function modelNotices(
  catalogue: Catalogue,
  { model, serviceTier, window = {} }: Settings,
): readonly ModelNotice[] {
  const record = lookUpModel(catalogue, model);
  if (isWindowGuessed(record)) {
    // A user who has named the window has done what the notice asks for.
    const { contextWindow, effectiveTokens } = window;
    return contextWindow === undefined && effectiveTokens === undefined ? [unknown(model, nominalWindow(record))] : [];
  }
  const tiers = record.guessed ? [] : tierNotices(model, record, serviceTier);
  return [...windowNotices(model, record, window), ...tiers];
}

function windowNotices(model: string, record: ModelRecord, window: WindowSettings): readonly ModelNotice[] {
  const { contextWindow = 0, effectiveTokens = 0 } = window;
  const [most, raw] = [largestWindow(record), rawWindow(record, window)];
  const about = (key: string, chosen: number, used: number, next: string): readonly ModelNotice[] => {
    if (chosen <= used) return [];
    const message = `${key} is ${chosen}, but the model ${model} has a window of ${groupDigits(used)} tokens. Capstan uses ${groupDigits(used)}.`;
    return [{ code: 'window-too-large', message, next: `Set it to ${used} or less${next}.` }];
  };
  const described = record.guessed
    ? ', or give the server a larger window'
    : ', or describe the model in a file and set model_catalog_json to it';
  const wider = raw < most ? `, or model_context_window to ${most} or less` : '';
  return [
    ...about('model_context_window', contextWindow, most, described),
    ...about('window.effective_tokens', effectiveTokens, raw, wider),
  ];
}

function tierNotices(model: string, record: ModelRecord, serviceTier: string | undefined): readonly ModelNotice[] {
  const tier = serviceTier === 'fast' ? 'priority' : serviceTier;
  if (tier === undefined || tier === 'default' || record.serviceTiers.includes(tier)) return [];
  const offered = record.serviceTiers.length === 0 ? 'none' : record.serviceTiers.join(', ');
  const message = `The model ${model} has no service tier "${tier}". Capstan sends requests without one.`;
  const next = `It has ${offered}. Set service_tier to one of them, or to "default".`;
  return [{ code: 'service-tier-unused', message, next }];
}

function unknown(model: string, contextWindow: number): ModelNotice {
  return {
    code: 'model-unknown',
    message: `Capstan does not know the model ${model}. It uses general values, such as a window of ${groupDigits(contextWindow)} tokens.`,
    next: 'Set model_context_window to its real window, or describe the model in a file and set model_catalog_json to it.',
  };
}
