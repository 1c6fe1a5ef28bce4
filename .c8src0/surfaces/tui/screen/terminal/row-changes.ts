import { isSingleColumnText, splitGraphemes } from '../../../../base/text-columns.ts';

export interface RowChange {
  readonly column: number;
  readonly text: string;
  /** The cursor column after writing, unless it is at the margin. Undefined if terminals may differ about it. */
  readonly end?: number;
}

const eraseToEnd = '\u001B[K';
const reset = '\u001B[m';

/**
 * Writes only what differs: that is cheaper on a slow line, and a screen reader says the typed letter instead of the
 * whole row. Undefined: nothing differs.
 */
export function rowChange(old: string, next: string): RowChange | undefined {
  if (old === next) return undefined;
  if (old === '') return { column: 0, text: next, ...(isSingleColumnText(next) ? { end: next.length } : {}) };
  return isSingleColumnText(old) && isSingleColumnText(next) ? plainChange(old, next) : styledChange(old, next);
}

/** For a row with unknown contents. */
export const wholeRow = (row: string): RowChange => ({ column: 0, text: eraseToEnd + row });

/** For rows in which each character takes one column. */
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
  // A mark belongs to the character before it.
  while (from > 0 && (before[from]?.columns === 0 || after[from]?.columns === 0)) from--;
  const same = sameAtEnd(before.slice(from), after.slice(from));
  const gone = before.slice(from, before.length - same);
  const come = after.slice(from, after.length - same);
  if (gone.length === 0 && come.length === 0) return undefined;
  const column = columnsOfCells(after.slice(0, from));
  const text = drawn(come, next);
  // Erase before the text: after it the cursor may be on the last column, which erasing would clear.
  if (!isAllSure(gone) || !isAllSure(come)) return { column, text: eraseToEnd + text };
  const [taken, given] = [columnsOfCells(gone), columnsOfCells(come)];
  return { column, text: given < taken ? text + eraseToEnd : text, end: column + given };
}

function drawn(cells: readonly RowCell[], row: string): string {
  const [first, last] = [cells[0], cells.at(-1)];
  if (first === undefined || last === undefined) return '';
  return first.style + row.slice(first.at, last.at + last.text.length) + (last.style === '' ? '' : reset);
}

function sameAtEnd(gone: readonly RowCell[], come: readonly RowCell[]): number {
  let same = 0;
  const most = Math.min(gone.length, come.length);
  while (same < most && isSame(gone.at(-1 - same), come.at(-1 - same))) same++;
  const [away, here] = [gone.slice(0, gone.length - same), come.slice(0, come.length - same)];
  return isAllSure(away) && isAllSure(here) && columnsOfCells(away) === columnsOfCells(here) ? same : 0;
}

const isSame = (one: RowCell | undefined, other: RowCell | undefined): boolean =>
  one !== undefined && other !== undefined && one.text === other.text && one.style === other.style;

const isAllSure = (cells: readonly RowCell[]): boolean => cells.every(({ isSure }) => isSure);
const columnsOfCells = (cells: readonly RowCell[]): number => cells.reduce((sum, { columns }) => sum + columns, 0);

interface RowCell {
  readonly text: string;
  readonly columns: number;
  /** All terminals give it the same number of columns. They differ about emoji and combined characters. */
  readonly isSure: boolean;
  readonly style: string;
  readonly at: number;
}

/** Standalone Chinese, Japanese and Korean characters. */
const wide =
  /^[\u3001-\u3003\u3008-\u3011\u3041-\u3096\u30A1-\u30FA\u30FC\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60]$/;
// oxlint-disable-next-line no-control-regex -- our own styles
const sequence = /\u001B\[([\d;]*)m/g;

/** Splits a row into cells. Undefined if it contains more than text and styles. */
function rowCells(row: string): readonly RowCell[] | undefined {
  const cells: RowCell[] = [];
  let style = '';
  let at = 0;
  const read = (end: number): boolean => {
    const text = row.slice(at, end);
    if (text.includes('\u001B')) return false;
    const isPlain = isSingleColumnText(text);
    for (const cluster of splitGraphemes(text)) {
      const isSure = isPlain || isSingleColumnText(cluster.text) || wide.test(cluster.text);
      cells.push({ ...cluster, isSure, style, at });
      at += cluster.text.length;
    }
    return true;
  };
  for (const found of row.matchAll(sequence)) {
    if (!read(found.index)) return undefined;
    at += found[0].length;
    style = styleAfter(style, found[0], found[1] ?? '');
  }
  return read(row.length) ? cells : undefined;
}

/** A sequence that begins with a reset drops all earlier styles. */
function styleAfter(style: string, whole: string, codes: string): string {
  if (codes === '' || codes === '0') return '';
  return codes.startsWith('0;') ? `\u001B[${codes.slice(2)}m` : style + whole;
}
