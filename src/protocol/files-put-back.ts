import type { TurnId } from './ids.ts';

/** Files of a thread's work that a user put back to what they were before, and that its model knows otherwise. Paths are absolute. */
export interface FilesPutBack {
  /** To what: the turn before which they were so. Absent: the record of it is of an earlier version. */
  readonly before?: TurnBefore;
  /** The user undid that: files are again what they were before they were put back. */
  readonly isUndone?: true;
  /** They have an earlier content again, or are there again. */
  readonly restored: readonly string[];
  /** They are no more. */
  readonly deleted: readonly string[];
  /** How many are not named. Absent: none. */
  readonly more?: number;
}

export interface TurnBefore {
  readonly turnId: TurnId;
  /** Counted from 1. */
  readonly number: number;
  /** How it began, in one line. */
  readonly words: string;
}

/** A file of which the user took changes back. */
export interface PutBackFile {
  readonly path: string;
  readonly isDeleted?: true;
  /** The number of the turn before which it was so. */
  readonly before?: number;
}
