import { noUsage, type Usage } from '../protocol/usage.ts';

export interface WindowUse {
  /** Tokens of the effective window. */
  readonly effective: number;
  /** Tokens that every thread spends before the user has said a word: they count neither as space nor as use. */
  readonly baseline: number;
  /** What the next request will weigh; see `activeTokens`. */
  readonly tokens: number;
}

/** How much of the window is left, as users are shown it: a whole number from 0 to 100. */
export function percentRemaining({ effective, baseline, tokens }: WindowUse): number {
  const space = effective - baseline;
  if (space <= 0) return 0;
  const used = Math.max(0, tokens - baseline);
  return Math.round((100 * Math.max(0, space - used)) / space);
}

/** Usage after a request was refused as too long: it is not counted, and the window must show as full. */
export function usageAfterOverflow(effective: number, total: Usage): { readonly total: Usage; readonly last: Usage } {
  return { total, last: { ...noUsage, total: effective } };
}
