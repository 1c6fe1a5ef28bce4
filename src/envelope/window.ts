import type { ModelRecord } from './model-record.ts';
import type { Settings } from './settings.ts';

/**
 * How much fits. `effective` is the parent of every other number here; nothing outside this file reads the raw window
 * of a model.
 */
export interface Window {
  /** Tokens that a request and its answer may use. */
  readonly effective: number;
  /** What one tool output may add to history. */
  readonly toolOutput: { readonly mode: 'bytes' | 'tokens'; readonly limit: number };
}

/** A tool output never takes more than this share of the window, however the limit was configured. */
const toolOutputShare = 0.25;

export function resolveWindow(model: ModelRecord, settings: Settings): Window {
  const raw = Math.min(settings.contextWindow ?? model.contextWindow, model.contextWindow);
  const effective = Math.floor((raw * model.effectivePercent) / 100);
  return { effective, toolOutput: toolOutputBudget(model, settings, effective) };
}

function toolOutputBudget(model: ModelRecord, settings: Settings, effective: number): Window['toolOutput'] {
  const { mode } = model.truncation;
  const perToken = mode === 'bytes' ? 4 : 1;
  const wanted =
    settings.toolOutputTokens === undefined ? model.truncation.limit : settings.toolOutputTokens * perToken;
  return { mode, limit: Math.min(wanted, Math.floor(effective * toolOutputShare) * perToken) };
}
