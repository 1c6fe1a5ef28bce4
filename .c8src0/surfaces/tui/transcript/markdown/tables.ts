import type { TableBlock } from '../../../../base/markdown/blocks.ts';
import type { Alignment } from '../../../../base/markdown/bounded-lexer.ts';
import type { InlineText } from '../../../../base/markdown/inline-text.ts';
import { countColumns } from '../../../../base/text-columns.ts';
import { cutRow, rowColumns } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { boldStyle, dimStyle, plain, restyled, type Row, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { inlineLines } from './inline-text.ts';

const gap = 2;

export function tableRows(
  { header, alignments, rows }: Pick<TableBlock, 'header' | 'alignments' | 'rows'>,
  room: number,
  look: Look,
): readonly Row[] {
  const head = parsedRow(header, look);
  const heads = head.cells.map((cell) => cell.map((line) => restyled(line, boldStyle)));
  const parsed = rows.map((row) => parsedRow(row, look));
  const cells = parsed.map((row) => header.map((_, at) => row.cells[at] ?? []));
  const measures = header.map((_, at) => measureColumn([head, ...parsed].flatMap((row) => row.measures[at] ?? [])));
  const widths = tableWidths(measures, room - gap * (header.length - 1));
  // Cells side by side cannot be followed by ear.
  if (widths === undefined || look.glyphs === 'words') return records(heads, cells, room, look);
  const { rule, heavyRule } = glyphsOf(look);
  const line = (sign: string): Row => [
    styled(widths.map((width) => sign.repeat(width)).join(' '.repeat(gap)), dimStyle),
  ];
  const drawn = cells.map((row) => tableLine(row, widths, alignments));
  // Rows of one line need no rules between them.
  const isRuled = drawn.some(({ length }) => length > 1);
  return [
    ...tableLine(heads, widths, alignments),
    line(heavyRule),
    ...drawn.flatMap((each, at) => (isRuled && at > 0 ? [line(rule), ...each] : each)),
  ];
}

type Cell = readonly Row[];

interface ParsedRow {
  readonly look: Pick<Look, 'cwd' | 'home'>;
  readonly cells: readonly Cell[];
  readonly measures: readonly ColumnMeasure[];
}

/** Cached, because a new width changes no cell. */
const parsedRows = new WeakMap<readonly InlineText[], ParsedRow>();

function parsedRow(row: readonly InlineText[], { cwd, home }: Look): ParsedRow {
  const known = parsedRows.get(row);
  if (known !== undefined && known.look.cwd === cwd && known.look.home === home) return known;
  const cells = row.map((cell) => inlineLines(cell, { cwd, home }));
  const measures = cells.map((cell) =>
    measureColumn(cell.map((line) => ({ natural: rowColumns(line), word: longestWordColumns(line) }))),
  );
  const parsed = { look: { cwd, home }, cells, measures };
  parsedRows.set(row, parsed);
  return parsed;
}

function tableLine(row: readonly Cell[], widths: readonly number[], alignments: readonly Alignment[]): readonly Row[] {
  const columns = row.map((cell, at) => cell.flatMap((line) => wrapRow(line, { width: widths[at]! })));
  const height = columns.reduce((most, { length }) => Math.max(most, length), 1);
  return Array.from({ length: height }, (_, line) =>
    columns.flatMap((cell, at): Row => {
      const aligned = alignedCell(cell[line] ?? [], widths[at]!, alignments[at] ?? 'left', at === row.length - 1);
      return at === 0 ? aligned : [plain(' '.repeat(gap)), ...aligned];
    }),
  );
}

function alignedCell(cell: Row, width: number, alignment: Alignment, isLast: boolean): Row {
  const free = Math.max(0, width - rowColumns(cell));
  const before = alignment === 'right' ? free : alignment === 'centre' ? Math.floor(free / 2) : 0;
  return [...blanks(before), ...cell, ...blanks(isLast ? 0 : free - before)];
}

const blanks = (columns: number): Row => (columns === 0 ? [] : [plain(' '.repeat(columns))]);
const indent: Row = [plain('  ')];
const mostNameColumns = 40;

/** Each row as lines of name and value, with a rule between rows. An empty cell has no line. */
function records(heads: readonly Cell[], cells: readonly (readonly Cell[])[], room: number, look: Look) {
  const { rule } = glyphsOf(look);
  const inOneRow = (head: Cell): Row => head.flatMap((part, at) => (at === 0 ? part : [plain(' '), ...part]));
  const names = heads.map((head) => cutRow(inOneRow(head), mostNameColumns, look));
  const line: Row = [styled(rule.repeat(Math.max(1, Math.min(room, 40))), dimStyle)];
  return cells.flatMap((row, index) => {
    const lines = row.flatMap((cell, at) => {
      const [first = [], ...more] = cell;
      if (cell.every((part) => part.length === 0)) return [];
      return [
        ...wrapRow([...names[at]!, styled(': ', boldStyle), ...first], { width: room, first: [], rest: indent }),
        ...more.flatMap((each) => wrapRow(each, { width: room, first: indent })),
      ];
    });
    return index === 0 ? lines : [line, ...lines];
  });
}

function longestWordColumns(row: Row): number {
  const text = row.map((piece) => piece.text).join('');
  return text.split(' ').reduce((most, word) => Math.max(most, countColumns(word)), 0);
}

/** Widths of the longest line and the longest word of a column. */
export type ColumnMeasure = { readonly natural: number; readonly word: number };

const [shortColumns, leastToken, leastProse, easyProse, longestWord] = [12, 12, 10, 24, 16];

/**
 * Widths of the columns of a table in the given room. Prose is narrowed while it stays readable, then long words
 * (paths, addresses, digests), then prose again; short values never. Undefined: values would be broken up.
 */
export function tableWidths(measures: readonly ColumnMeasure[], room: number): readonly number[] | undefined {
  const widths = measures.map(({ natural }) => natural);
  const leasts = measures.map(leastWidths);
  for (const step of [0, 1, 2] as const) {
    const least = leasts.map((each) => each[step]);
    for (let over = sum(widths) - room; over > 0; over -= 1) {
      const widest = widestOf(widths, least);
      if (widest < 0) break;
      widths[widest]! -= 1;
    }
  }
  return sum(widths) > room ? undefined : widths;
}

function widestOf(widths: readonly number[], least: readonly number[]): number {
  let widest = -1;
  for (const [at, width] of widths.entries()) {
    if (width > least[at]! && (widest < 0 || width > widths[widest]!)) widest = at;
  }
  return widest;
}

function leastWidths({ natural, word }: ColumnMeasure): readonly [number, number, number] {
  if (natural <= shortColumns) return [natural, natural, natural];
  const easy = Math.min(natural, Math.max(easyProse, word));
  return word > longestWord ? [easy, leastToken, leastToken] : [easy, easy, Math.max(leastProse, word)];
}

function measureColumn(cells: readonly ColumnMeasure[]): ColumnMeasure {
  return {
    natural: cells.reduce((most, { natural }) => Math.max(most, natural), 1),
    word: cells.reduce((most, { word }) => Math.max(most, word), 1),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
