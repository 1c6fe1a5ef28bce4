import type { Outcome } from './outcome.ts';
import type { Usage } from './usage.ts';

/** What a checkpoint kept, what it replaced and what it cost. Stored with it, and shown to users. */
export interface CheckpointReport {
  readonly id: string;
  /** Counts the checkpoints of the thread, from 1. */
  readonly number: number;
  readonly trigger: 'manual' | 'auto';
  readonly reason: string;
  readonly phase: string;
  /** `mechanical`: made by code, because no model could be had for it. */
  readonly strategy: 'structured' | 'plain' | 'remote' | 'mechanical';
  /** The model that was asked. */
  readonly model: string;
  /**
   * What the next request weighs, before and after: instructions, tools, history, and the context that it would send. A
   * message that waits counts in neither. Both are our estimate, so that they can be compared.
   */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages of the user: word for word, shortened, gone. */
  readonly words: { readonly kept: number; readonly cut: number; readonly dropped: number };
  /** Items of history that are neither kept nor quoted. */
  readonly folded: number;
  /** Requests that it took. */
  readonly requests: number;
  /** Those of them that `usage` lacks, because the provider reported no cost; absent: none. */
  readonly uncounted?: number;
  /** What they cost. */
  readonly usage: Usage;
  /** Share of their input that the provider had in its cache, from 0 to 1; absent when it said nothing. */
  readonly cachedShare?: number;
  /** What was wrong with the model's answer and was put right. */
  readonly mended: readonly string[];
  /** Of one that was made in another way than was wanted: what kept the model from that. */
  readonly why?: Outcome;
}
