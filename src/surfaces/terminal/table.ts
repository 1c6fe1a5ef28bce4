import { visibleLine } from './visible-text.ts';

export type Cell = string | number;

export interface TableForm {
  /** Columns that stand right although they hold no numbers. */
  readonly right?: readonly number[];
  /** Of a row, in characters: texts are shortened until rows fit. */
  readonly width?: number;
}

/** Rows with their cells under each other, two spaces between them. Columns with numbers stand right. */
export function table(rows: readonly (readonly Cell[])[], { right = [], width = Infinity }: TableForm = {}): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? count(cell) : visibleLine(cell))));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const wanted = Array.from({ length: columns }, (_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length)));
  const standsRight = wanted.map((_, at) => right.includes(at) || rows.some((row) => typeof row[at] === 'number'));
  const widths = narrowed(wanted, standsRight, width);
  const fitted = (text: string, at: number): string => {
    const short = cutLine(text, widths[at]!);
    return standsRight[at] === true ? short.padStart(widths[at]!) : short.padEnd(widths[at]!);
  };
  return texts.map((row) => `${row.map(fitted).join('  ').trimEnd()}\n`).join('');
}

/** A text that is shortened to less says nothing. */
const leastColumn = 12;

/** The widest texts give way first, and numbers never. */
function narrowed(wanted: readonly number[], isNumber: readonly boolean[], most: number): readonly number[] {
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, each) => sum + each, 0) + 2 * Math.max(0, widths.length - 1);
  while (total() > most) {
    const texts = widths.map((each, at) => (isNumber[at] === true ? 0 : each));
    const widest = Math.max(0, ...texts);
    if (widest <= leastColumn) break;
    widths[texts.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** The beginning of a line, with a mark where something is missing. */
export function cutLine(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
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

/** A text in lines of at most so many characters, broken between words where there are any. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > width) {
      const space = rest.lastIndexOf(' ', width);
      const at = space > width / 2 ? space + 1 : width;
      lines.push(rest.slice(0, at).trimEnd());
      rest = rest.slice(at);
    }
    return [...lines, rest];
  });
}

/** An estimate for people. A handful is not rounded by calling it about a handful. */
export function about(tokens: number): string {
  return tokens < 10 ? count(tokens) : `about ${count(tokens)}`;
}

/** `1 turn`, `2 turns`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}
