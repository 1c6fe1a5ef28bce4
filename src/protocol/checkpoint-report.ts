import type { Outcome } from './outcome.ts';
import type { Usage } from './usage.ts';

/** What a checkpoint did and what it cost: the `compacted` line keeps it, surfaces show it. */
export interface CheckpointReport {
  readonly id: string;
  /** Counted from 1 in the thread. */
  readonly number: number;
  readonly trigger: 'manual' | 'auto';
  readonly reason: string;
  readonly phase: string;
  /** `mechanical`: built by code alone. */
  readonly strategy: 'structured' | 'plain' | 'remote' | 'mechanical';
  /** The model that was asked. */
  readonly model: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages of the user that are still there word for word, those of which a part is, and those that are gone. */
  readonly words: { readonly kept: number; readonly cut: number; readonly dropped: number };
  /** Items that are gone. */
  readonly folded: number;
  readonly requests: number;
  /** Spent on it. */
  readonly usage: Usage;
  /** How much of the input came from the cache, from 0 to 1; absent when the provider did not say. */
  readonly cachedShare?: number;
  /** What was wrong with the model's answer and was put right by code, in sentences for people. */
  readonly mended: readonly string[];
  /** Of a mechanical one: what kept the model from it. */
  readonly why?: Outcome;
}
