import { isSingle } from '../../../base/columns.ts';
import { rowCells, type RowCell } from './row-cells.ts';

/** What makes a row of another: what to write, and from which column on. */
export interface RowChange {
  readonly column: number;
  readonly text: string;
  /** Where the cursor stands then, if no margin is in the way. Undefined: terminals may differ about it. */
  readonly end?: number;
}

const eraseToEnd = '\u001B[K';
const reset = '\u001B[m';

/**
 * Only what differs is written: it costs less on a slow line, and a screen reader says the letter that was typed, and not
 * the whole row again. Undefined: nothing differs.
 */
export function rowChange(old: string, next: string): RowChange | undefined {
  if (old === next) return undefined;
  if (old === '') return { column: 0, text: next, ...(isSingle(next) ? { end: next.length } : {}) };
  return isSingle(old) && isSingle(next) ? plainChange(old, next) : styledChange(old, next);
}

/** Where anything may stand. */
export function wholeRow(row: string): RowChange {
  return { column: 0, text: eraseToEnd + row };
}

/** Each character is a column. */
function plainChange(old: string, next: string): RowChange {
  let from = 0;
  while (from < next.length && old[from] === next[from]) from++;
  let to = next.length;
  if (old.length === next.length) while (old[to - 1] === next[to - 1]) to--;
  return { column: from, text: next.slice(from, to) + (next.length < old.length ? eraseToEnd : ''), end: to };
}

function styledChange(old: string, next: string): RowChange | undefined {
  const [before, after] = [rowCells(old), rowCells(next)];
  if (before === undefined || after === undefined) return wholeRow(next);
  let from = 0;
  while (isSame(before[from], after[from]) && after[from]?.isSure === true) from++;
  // A mark belongs to what stands before it.
  while (from > 0 && (before[from]?.columns === 0 || after[from]?.columns === 0)) from--;
  const same = sameAtEnd(before.slice(from), after.slice(from));
  const gone = before.slice(from, before.length - same);
  const come = after.slice(from, after.length - same);
  if (gone.length === 0 && come.length === 0) return undefined;
  const column = columnsOfCells(after.slice(0, from));
  const text = drawn(come, next);
  // Before the text: behind the last column of a terminal it would take that column away.
  if (!isAllSure(gone) || !isAllSure(come)) return { column, text: eraseToEnd + text };
  const [taken, given] = [columnsOfCells(gone), columnsOfCells(come)];
  return { column, text: given < taken ? text + eraseToEnd : text, end: column + given };
}

/** Cells of a row as a terminal gets them: no style is left open behind them. */
function drawn(cells: readonly RowCell[], row: string): string {
  const [first, last] = [cells[0], cells.at(-1)];
  if (first === undefined || last === undefined) return '';
  return first.style + row.slice(first.at, last.at + last.text.length) + (last.style === '' ? '' : reset);
}

/** How many of the last cells can stay where they are. */
function sameAtEnd(gone: readonly RowCell[], come: readonly RowCell[]): number {
  let same = 0;
  const most = Math.min(gone.length, come.length);
  while (same < most && isSame(gone.at(-1 - same), come.at(-1 - same))) same++;
  const [away, here] = [gone.slice(0, gone.length - same), come.slice(0, come.length - same)];
  return isAllSure(away) && isAllSure(here) && columnsOfCells(away) === columnsOfCells(here) ? same : 0;
}

function isSame(one: RowCell | undefined, other: RowCell | undefined): boolean {
  return one !== undefined && other !== undefined && one.text === other.text && one.style === other.style;
}

function isAllSure(cells: readonly RowCell[]): boolean {
  return cells.every(({ isSure }) => isSure);
}

function columnsOfCells(cells: readonly RowCell[]): number {
  return cells.reduce((sum, { columns }) => sum + columns, 0);
}
