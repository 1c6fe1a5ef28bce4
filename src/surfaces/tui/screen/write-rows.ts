import { rowChange } from './row-change.ts';
import type { RowPen } from './row-pen.ts';
import { findShift, lineMoves, lineMoveText, shifted } from './row-shift.ts';

export interface WantedRows {
  readonly rows: readonly string[];
  /** Rows of the terminal. What does not fit scrolls out of its upper end, and can not be written any more. */
  readonly height: number;
}

/**
 * Makes rows of those that are there. What is below those is blank. Rows are written from above, each below the one
 * before: a terminal that became narrower a moment ago breaks them, and none may be written over the end of another.
 */
export function writeRows(pen: RowPen, old: readonly string[], { rows, height }: WantedRows): void {
  const shown = rows.length > height ? old : movedRows(pen, old, rows);
  for (const [at, row] of rows.entries()) {
    if (at >= pen.rows) pen.goTo(at, 0);
    const change = rowChange(shown[at] ?? '', row);
    if (change !== undefined) pen.change(at, change);
  }
  if (shown.slice(rows.length).some((row) => row !== '')) pen.send(rows.length, '\u001B[J');
}

/** Moves what is worth it. Room for what comes is made before anything is written. */
function movedRows(pen: RowPen, old: readonly string[], rows: readonly string[]): readonly string[] {
  const count = Math.max(old.length, rows.length);
  const shown = filled(old, count);
  const shift = findShift(shown, filled(rows, count));
  if (shift === undefined) return old;
  if (rows.length > pen.rows) pen.goTo(rows.length - 1, 0);
  for (const each of lineMoves(shown, shift)) pen.send(each.row, lineMoveText(each));
  return shifted(shown, shift);
}

function filled(rows: readonly string[], count: number): readonly string[] {
  return rows.length === count ? rows : [...rows, ...Array.from({ length: count - rows.length }, () => '')];
}
