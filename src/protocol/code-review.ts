import type { Outcome } from './outcome.ts';

/** What is reviewed: what is not committed, what a branch adds to another one, one commit, or what the words say. */
export type ReviewTarget =
  | { readonly kind: 'uncommitted' }
  | { readonly kind: 'base'; readonly branch: string }
  | { readonly kind: 'commit'; readonly commit: string; readonly title?: string }
  | { readonly kind: 'words'; readonly words: string };

/** What a reviewer of code found. */
export interface CodeReview {
  readonly findings: readonly ReviewFinding[];
  /** `patch is correct`, `patch is incorrect`, or empty where it did not say. */
  readonly correctness: string;
  readonly explanation: string;
  /** From 0 to 1. Absent: it did not say. */
  readonly confidence?: number;
}

export interface ReviewFinding {
  readonly title: string;
  readonly body: string;
  /** 0 blocks a release, 3 is a wish. Absent: it did not say. */
  readonly priority?: number;
  readonly confidence?: number;
  /** Where, as the reviewer wrote it. */
  readonly place?: { readonly path: string; readonly from: number; readonly to: number };
}

/** A review of code as the thread keeps it that asked for it. */
export interface KeptReview {
  readonly target: ReviewTarget;
  readonly durationMs: number;
  readonly end: ReviewEnd;
}

export type ReviewEnd =
  | { readonly kind: 'reviewed'; readonly review: CodeReview }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
  /** Only what the model was told of it is known. */
  | { readonly kind: 'told'; readonly text: string };
