import type { Look } from '../text/look.ts';

/**
 * One piece of the transcript. Rows are at most `width` columns wide, styled by SGR only and closed at their end, and hold
 * no other control character. The same look gives the same rows, so callers may keep them.
 */
export interface Cell {
  /** No rows: the cell is not shown in this look. */
  rows(look: Look): readonly string[];
  /** The same from one row on. Absent: the cell does not grow, or has few rows. */
  rowsFrom?(look: Look, from: number): readonly string[];
  /** The last of them, at least so many where there are as many. Absent: all are drawn soon enough. */
  lastRows?(look: Look, least: number): LastRows;
}

/** The end of some rows, or all of them. */
export interface LastRows {
  readonly rows: readonly string[];
  readonly isAll: boolean;
}
