import { noUsage, type Usage } from '../protocol/usage.ts';
import type { History } from './history.ts';
import { weightOf } from './history-weight.ts';

export interface WindowUse {
  /** Tokens of the effective window. */
  readonly effective: number;
  /** Tokens that every thread spends before anybody has said a word: they count neither as room nor as use. */
  readonly baseline: number;
  /** Of the newest response. */
  readonly usage: Usage;
  /** Tokens of the response that the next request does not carry; see `ejectedReasoning`. */
  readonly ejected?: number;
}

/** How much of the window is left, as people are shown it: a whole number from 0 to 100. */
export function percentRemaining({ effective, baseline, usage, ejected = 0 }: WindowUse): number {
  const room = effective - baseline;
  if (room <= 0) return 0;
  const used = Math.max(0, Math.max(usage.total, usage.input + usage.output) - ejected - baseline);
  return Math.round((100 * Math.max(0, room - used)) / room);
}

/**
 * Reasoning tokens of the newest response that are gone: providers see reasoning again only when it stands in history,
 * encrypted or in words.
 */
export function ejectedReasoning(history: History, usage: Usage): number {
  return weightOf(history).thoughtKept ? 0 : usage.reasoningOutput;
}

/**
 * Usage after the provider refused a request as too long. It was not counted, so nothing is added to the total; the
 * window is full, and the newest usage must say so or nobody makes room.
 */
export function usageAfterOverflow(effective: number, total: Usage): { readonly total: Usage; readonly last: Usage } {
  return { total, last: { ...noUsage, total: effective } };
}
