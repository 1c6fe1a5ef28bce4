import { countColumns } from '../../../base/text-columns.ts';
import { formatCount } from '../../../engine/wording.ts';
import { print } from './print.ts';
import { paint, type Span, type TextLook, wantsColor } from './styled-text.ts';
import { fitToWidth, padToWidth, terminalWidth, visibleLine, wrap } from './visible-text.ts';

/** Numbers are aligned to the right; a text may have a look. */
export type TableCell = number | Span;

export interface TableForm {
  /** Right-aligned columns without numbers. */
  readonly right?: readonly number[];
  /** Columns that are never shortened, like those with numbers. */
  readonly whole?: readonly number[];
  /** Greatest widths by column. A longer text is shortened or, where rows have any width, moves the rest of its row. */
  readonly most?: Readonly<Record<number, number>>;
  /** The width of a row in terminal columns: texts are shortened to fit. */
  readonly width?: number;
}

/** Aligned rows, with two spaces between cells and without colours. */
export const formatTable = (rows: readonly (readonly TableCell[])[], form: TableForm = {}): string =>
  paint(tableSpans(rows, form), false);

export function tableSpans(
  rows: readonly (readonly TableCell[])[],
  { right = [], whole = [], most = {}, width = Infinity }: TableForm = {},
): readonly Span[] {
  const texts = rows.map((row) => row.map(cellText));
  const columns = largest(rows.map((row) => row.length));
  const wanted = Array.from({ length: columns }, (_, at) =>
    Math.min(most[at] ?? Infinity, largest(texts.map((row) => countColumns(row[at] ?? '')))),
  );
  const standsRight = wanted.map((_, at) => right.includes(at) || rows.some((row) => typeof row[at] === 'number'));
  const isFixed = standsRight.map((isRight, at) => isRight || whole.includes(at));
  const widths = narrowed(wanted, isFixed, width);
  return rows.flatMap((row, line) => {
    const last = texts[line]!.findLastIndex((text) => text !== '');
    const cells = row.slice(0, last + 1).map((cell, at): Span => {
      const short = width === Infinity ? texts[line]![at]! : fitToWidth(texts[line]![at]!, widths[at]!);
      const padded = padToWidth(short, widths[at]!, standsRight[at] ? 'left' : 'right');
      const text = at < last ? `${padded}  ` : padded.trimEnd();
      return typeof cell === 'object' ? { look: cell.look, text } : text;
    });
    return [...cells, '\n'];
  });
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
/** Does not use `Math.max(...numbers)`, because a call takes only a limited number of arguments. */
const largest = (numbers: readonly number[]): number => numbers.reduce((most, each) => Math.max(most, each), 0);

function cellText(cell: TableCell): string {
  if (typeof cell === 'number') return formatCount(cell);
  return visibleLine(typeof cell === 'string' ? cell : cell.text);
}

/** A shorter text tells nothing. */
const leastColumn = 10;

/** Narrows the widest texts first, and numbers never. */
function narrowed(wanted: readonly number[], isFixed: readonly boolean[], most: number): readonly number[] {
  const widths = [...wanted];
  while (sum(widths) + 2 * Math.max(0, widths.length - 1) > most) {
    const texts = widths.map((each, at) => (isFixed[at] === true ? 0 : each));
    const widest = Math.max(0, ...texts);
    if (widest <= leastColumn) break;
    widths[texts.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** The form of a page for people on standard output: tables and bars fit its width. */
export interface PageForm {
  readonly width: number;
  /** For sentences, and for tables whose texts matter more than their form. In a file or a pipe there is no limit. */
  readonly proseWidth: number;
  readonly color: boolean;
}

/** At most 120 columns, however wide the terminal is; a file or a program gets 100 and no colours. */
export function pageForm(stream: NodeJS.WriteStream = process.stdout): PageForm {
  const width = Math.min(120, Math.max(60, terminalWidth(stream) ?? 100));
  return { width, proseWidth: stream.isTTY ? width : Infinity, color: wantsColor(stream, 'auto') };
}

/** Writes a page to standard output. Only our own looks reach a terminal: `paint` makes everything else visible. */
export const printPage = (spans: readonly Span[], { color }: PageForm): void =>
  void process.stdout.write(paint(spans, color));

type ShownPage = (form: PageForm) => string | readonly Span[];
type ResultOptions = { readonly json: boolean; readonly pretty?: boolean };

/** Prints JSON for programs, in one line unless `pretty`, or a text or a page for people. Returns the exit code. */
export function printResult(result: object, { json, pretty = false }: ResultOptions, shown: ShownPage): number {
  const form = pageForm();
  const asJson = (): string => (pretty ? prettyJson(result) : `${JSON.stringify(result)}\n`);
  const answer = json ? asJson() : shown(form);
  if (typeof answer === 'string') print(answer, json ? 'json' : 'text');
  else printPage(answer, form);
  return 0;
}

export const prettyJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

export function wrapSentences(text: string, { proseWidth }: PageForm, indent = ''): string {
  const lines = wrap(text, proseWidth - indent.length);
  return lines.map((line) => `${indent}${line}\n`).join('');
}

export type BarPart = { readonly amount: number; readonly letter: string; readonly look: TextLook };

/** Parts of a whole side by side. Each part above zero gets at least one column. */
export function stackedBar(
  parts: readonly BarPart[],
  { whole, width, color }: { readonly whole: number; readonly width: number; readonly color: boolean },
): readonly Span[] {
  const amounts = parts.map(({ amount }) => amount);
  const columns = shareColumns(amounts, Math.max(whole, 1), width);
  const free = Math.max(0, width - sum(columns));
  return [
    ...parts.map(({ letter, look }, at): Span => ({ look, text: (color ? '█' : letter).repeat(columns[at]!) })),
    { look: 'dim', text: (color ? '░' : '.').repeat(free) },
  ];
}

type ProgressForm = Record<'done' | 'total' | 'width', number> & { readonly amount?: (value: number) => string };
export function progressText(label: string, { done, total, width, amount = String }: ProgressForm): string {
  const counted = `${amount(done)}/${amount(total)}`;
  const room = Math.min(30, width - label.length - counted.length - 4);
  if (room < 5) return fitToWidth(`${label} ${counted}`, width);
  const filled = total === 0 ? room : Math.floor((done / total) * room);
  return `${label} [${'#'.repeat(filled)}${'.'.repeat(room - filled)}] ${counted}`;
}

/** Columns for each amount: the largest remainders are rounded up, and excess is taken from the widest. */
export function shareColumns(amounts: readonly number[], whole: number, width: number): readonly number[] {
  const exact = amounts.map((amount) => (amount / whole) * width);
  const columns = exact.map((share) => (share > 0 ? Math.max(1, Math.round(share)) : 0));
  const wanted = Math.min(width, Math.round(sum(exact)));
  for (let excess = sum(columns) - wanted; excess > 0; excess--) {
    const widest = columns.indexOf(Math.max(...columns));
    if (columns[widest]! <= 1) break;
    columns[widest]!--;
  }
  return columns;
}
