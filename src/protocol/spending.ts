import type { Usage } from './usage.ts';

/** The keys that limit what is spent. */
export type LimitName =
  | 'max_turn_tokens'
  | 'max_thread_tokens'
  | 'max_turn_cost'
  | 'max_thread_cost'
  | 'agents.max_tokens';

/** A limit and what has been used of it: tokens, or billionths of a US dollar. */
export interface Allowance {
  readonly limit: LimitName;
  readonly unit: 'tokens' | 'nanoUsd';
  readonly most: number;
  readonly used: number;
  /** Tokens among those that were used whose cost is not known. Only of costs. */
  readonly unpriced?: number;
}

/** Whether a request can be sent under the limits that hold for it. */
export type Fitting =
  /** `output`: how many tokens its answer may have. `most`: what it costs then. */
  | { readonly kind: 'fits'; readonly output: number; readonly most: Usage }
  /** It could pass this limit. `least`: what it would take at least, in the unit of the limit. */
  | { readonly kind: 'reached'; readonly allowance: Allowance; readonly least: number }
  /** Nothing says how much of this limit it would take, or how much was taken before. */
  | { readonly kind: 'unknown'; readonly allowance: Allowance };
