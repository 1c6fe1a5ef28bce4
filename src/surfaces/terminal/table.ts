import { paint, type Span } from './look.ts';
import { fit, pad, textWidth } from './text-width.ts';
import { visibleLine } from './visible-text.ts';

/** A number stands right; a text may have a look. */
export type Cell = number | Span;

export interface TableForm {
  /** Columns that stand right although they hold no numbers. */
  readonly right?: readonly number[];
  /** Columns that are never shortened, as those with numbers. */
  readonly whole?: readonly number[];
  /** Of a row, in columns of a terminal: texts are shortened until rows fit. */
  readonly width?: number;
}

/** Rows with their cells under each other, two spaces between them, without colours. */
export function table(rows: readonly (readonly Cell[])[], form: TableForm = {}): string {
  return paint(tableSpans(rows, form), false);
}

/** The same with the looks of its cells. */
export function tableSpans(
  rows: readonly (readonly Cell[])[],
  { right = [], whole = [], width = Infinity }: TableForm = {},
): readonly Span[] {
  const texts = rows.map((row) => row.map(cellText));
  const columns = largest(rows.map((row) => row.length));
  const wanted = Array.from({ length: columns }, (_, at) => largest(texts.map((row) => textWidth(row[at] ?? ''))));
  const standsRight = wanted.map((_, at) => right.includes(at) || rows.some((row) => typeof row[at] === 'number'));
  const isFixed = standsRight.map((isRight, at) => isRight || whole.includes(at));
  const widths = narrowed(wanted, isFixed, width);
  return rows.flatMap((row, line) => {
    const last = texts[line]!.findLastIndex((text) => text !== '');
    const cells = row.slice(0, last + 1).map((cell, at): Span => {
      const short = fit(texts[line]![at]!, widths[at]!);
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

function cellText(cell: Cell): string {
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

export function count(number: number): string {
  return String(Math.round(number)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return '-';
  const share = (100 * part) / whole;
  return share > 0 && share < 1 ? '<1 %' : `${Math.round(share)} %`;
}

/** `1, 3-5`. */
export function ranges(numbers: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}

/** A text in lines of at most so many columns, broken between words where there are any. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    for (;;) {
      const kept = prefix(rest, width);
      if (kept.length === rest.length) return [...lines, rest];
      const space = rest.lastIndexOf(' ', kept.length);
      const at = space > kept.length / 2 ? space + 1 : Math.max(1, kept.length);
      lines.push(rest.slice(0, at).trimEnd());
      rest = rest.slice(at);
    }
  });
}

/** As much of a text as fits. Looks only at its beginning: a text may be long, and most signs take one column. */
function prefix(text: string, width: number): string {
  const near = text.slice(0, 4 * width);
  return textWidth(near) <= width ? near : fit(near, width + 1).slice(0, -1);
}

/** An estimate for people. A handful is not rounded by calling it about a handful. */
export function about(tokens: number): string {
  return tokens < 10 ? count(tokens) : `about ${count(tokens)}`;
}

/** `1 turn`, `2 turns`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}
