import { rowChange } from './row-change.ts';
import type { RowPen } from './row-pen.ts';
import { findShift, lineMoves, lineMoveText, type RowShift, shifted } from './row-shift.ts';

export interface WantedRows {
  readonly rows: readonly string[];
  /** Rows of the terminal. What does not fit scrolls out of its upper end, and can not be written any more. */
  readonly height: number;
}

/**
 * Makes rows of those that are there. What is below those is blank. Rows are written from above, so that none is left
 * behind unfinished where the terminal scrolls.
 */
export function writeRows(pen: RowPen, old: readonly string[], { rows, height }: WantedRows): void {
  const count = Math.max(old.length, rows.length);
  const shift = shiftOf(old, { rows, height }, count);
  let shown: readonly string[] = old;
  for (const [at, row] of rows.entries()) {
    if (at === shift?.from) shown = move(pen, filled(old, count), { shift, rows: rows.length });
    if (at >= pen.rows) pen.goTo(at, 0);
    const change = rowChange(shown[at] ?? '', row);
    if (change !== undefined) pen.change(at, change);
  }
  if (shown.slice(rows.length).some((row) => row !== '')) pen.send(rows.length, '\u001B[J');
}

function shiftOf(old: readonly string[], { rows, height }: WantedRows, count: number): RowShift | undefined {
  const gone = Math.max(0, rows.length - height);
  return gone >= old.length ? undefined : findShift(filled(old, count), filled(rows, count), gone);
}

function move(
  pen: RowPen,
  shown: readonly string[],
  { shift, rows }: { readonly shift: RowShift; readonly rows: number },
): readonly string[] {
  if (rows > pen.rows) pen.goTo(rows - 1, 0);
  for (const each of lineMoves(shown, shift)) pen.send(each.row, lineMoveText(each));
  return shifted(shown, shift);
}

function filled(rows: readonly string[], count: number): readonly string[] {
  return rows.length === count ? rows : [...rows, ...Array.from({ length: count - rows.length }, () => '')];
}
