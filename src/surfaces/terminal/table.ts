import { count } from '../wording/number-words.ts';
import { paint, type Span } from './look.ts';
import { columnsOf } from '../../base/columns.ts';
import { fit, pad } from './text-width.ts';
import { visibleLine } from './visible-text.ts';

/** A number stands right; a text may have a look. */
export type TableCell = number | Span;

export interface TableForm {
  /** Columns that stand right although they hold no numbers. */
  readonly right?: readonly number[];
  /** Columns that are never shortened, as those with numbers. */
  readonly whole?: readonly number[];
  /**
   * The widest that a column becomes, by its number. A longer text is shortened, or, where rows may have any width,
   * moves the rest of its row.
   */
  readonly most?: Readonly<Record<number, number>>;
  /** Of a row, in columns of a terminal: texts are shortened until rows fit. */
  readonly width?: number;
}

/** Rows with their cells under each other, two spaces between them, without colours. */
export function table(rows: readonly (readonly TableCell[])[], form: TableForm = {}): string {
  return paint(tableSpans(rows, form), false);
}

/** The same with the looks of its cells. */
export function tableSpans(
  rows: readonly (readonly TableCell[])[],
  { right = [], whole = [], most = {}, width = Infinity }: TableForm = {},
): readonly Span[] {
  const texts = rows.map((row) => row.map(cellText));
  const columns = largest(rows.map((row) => row.length));
  const wanted = Array.from({ length: columns }, (_, at) =>
    Math.min(most[at] ?? Infinity, largest(texts.map((row) => columnsOf(row[at] ?? '')))),
  );
  const standsRight = wanted.map((_, at) => right.includes(at) || rows.some((row) => typeof row[at] === 'number'));
  const isFixed = standsRight.map((isRight, at) => isRight || whole.includes(at));
  const widths = narrowed(wanted, isFixed, width);
  return rows.flatMap((row, line) => {
    const last = texts[line]!.findLastIndex((text) => text !== '');
    const cells = row.slice(0, last + 1).map((cell, at): Span => {
      const short = width === Infinity ? texts[line]![at]! : fit(texts[line]![at]!, widths[at]!);
      const padded =
        standsRight[at] === true || at < last ? pad(short, widths[at]!, standsRight[at] ? 'left' : 'right') : short;
      const text = at < last ? `${padded}  ` : padded.trimEnd();
      return typeof cell === 'object' ? { look: cell.look, text } : text;
    });
    return [...cells, '\n'];
  });
}

/** Of any number of rows: arguments of a call are limited. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, each) => Math.max(most, each), 0);
}

function cellText(cell: TableCell): string {
  if (typeof cell === 'number') return count(cell);
  return visibleLine(typeof cell === 'string' ? cell : cell.text);
}

/** A text that is shortened to less says nothing. */
const leastColumn = 10;

/** The widest texts give way first, and numbers never. */
function narrowed(wanted: readonly number[], isFixed: readonly boolean[], most: number): readonly number[] {
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, each) => sum + each, 0) + 2 * Math.max(0, widths.length - 1);
  while (total() > most) {
    const texts = widths.map((each, at) => (isFixed[at] === true ? 0 : each));
    const widest = Math.max(0, ...texts);
    if (widest <= leastColumn) break;
    widths[texts.indexOf(widest)] = widest - 1;
  }
  return widths;
}
