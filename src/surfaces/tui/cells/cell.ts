import type { Look } from '../text/look.ts';

/**
 * One piece of the transcript. Rows are at most `width` columns wide, styled by SGR only and closed at their end, and hold
 * no other control character. The same look gives the same rows, so callers may keep them.
 */
export interface Cell {
  /** No rows: the cell is not shown in this look. */
  rows(look: Look): readonly string[];
}
