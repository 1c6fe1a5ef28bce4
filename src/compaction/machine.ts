import type { Outcome } from '../protocol/outcome.ts';
import type { Candidate } from './candidate.ts';
import type { CompactionPlan } from './plan.ts';
import type { CompactionOutcome, CompactionRequest } from './request.ts';
import type { CompactionSource } from './source.ts';

/** A compaction under way. Opaque to whoever performs it. */
export interface CompactionState {
  readonly plan: CompactionPlan;
  readonly source: CompactionSource;
}

/** What is to be done. Until a candidate is there, and has been installed, the old history stands (I8). */
export type CompactionStep =
  | { readonly kind: 'request'; readonly state: CompactionState; readonly request: CompactionRequest }
  /** Checked: it parses, it fits, it keeps the user's words, and it makes room. */
  | { readonly kind: 'candidate'; readonly candidate: Candidate }
  /** The same, built without the model; `why` says what kept the model from it. */
  | { readonly kind: 'mechanical'; readonly candidate: Candidate; readonly why: Outcome }
  /** There is nothing better than what stands. */
  | { readonly kind: 'refused'; readonly outcome: Outcome };

export function begin(_plan: CompactionPlan, _source: CompactionSource): CompactionStep {
  throw new Error('not there yet');
}

export function next(_state: CompactionState, _outcome: CompactionOutcome): CompactionStep {
  throw new Error('not there yet');
}
