import type { MarkdownBlock, ItemBlock, TableBlock } from '../../../../base/markdown/blocks.ts';
import { InlineText } from '../../../../base/markdown/inline-text.ts';
import { drawRow, rowColumns, cutRow } from '../../screen/text/draw-row.ts';
import { type Look, glyphsOf } from '../../screen/text/look.ts';
import {
  accentStyle,
  badStyle,
  goodStyle,
  plain,
  restyled,
  styled,
  boldStyle,
  dimStyle,
} from '../../screen/text/style.ts';
import type { RowPiece, Row, Style } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { inlineLines, inlineRow } from './inline-text.ts';
import { type Grammar, type LongToken, grammarOf, HighlightBudget, highlightLine } from './syntax-highlight.ts';
import type { Alignment } from '../../../../base/markdown/bounded-lexer.ts';
import { countColumns } from '../../../../base/text-columns.ts';

/** A block that contains others. `isNew`: nothing in it was placed yet. */
type Container =
  | { readonly kind: 'quote'; isNew: boolean }
  | { readonly kind: 'item'; readonly item: ItemBlock; isNew: boolean };

type Standing = { readonly kind: MarkdownLeaf['kind']; readonly isInItem: boolean; readonly depth: number };

interface CodeColours {
  readonly grammar: Grammar | 'diff' | undefined;
  readonly budget: HighlightBudget;
  inside: LongToken | undefined;
}

/** Converts blocks to leaves with their row prefixes and blank rows. */
export class MarkdownLeafWriter {
  readonly #give: (leaf: MarkdownLeaf) => void;
  readonly #containers: Container[] = [];
  #isAfterBlank = false;
  #last: Standing | undefined;
  #code: CodeColours | undefined;

  constructor(give: (leaf: MarkdownLeaf) => void) {
    this.#give = give;
  }

  /** Call between two blocks: makes a writer in the same state that gives to another receiver. */
  copy(give: (leaf: MarkdownLeaf) => void): MarkdownLeafWriter {
    const copy = new MarkdownLeafWriter(give);
    copy.#isAfterBlank = this.#isAfterBlank;
    copy.#last = this.#last;
    copy.#code = this.#code && { ...this.#code, budget: this.#code.budget.copy() };
    return copy;
  }

  block(block: MarkdownBlock, task?: ItemBlock['task']): void {
    this.#isAfterBlank ||= block.isAfterBlank === true;
    switch (block.kind) {
      case 'quote':
        return this.#within({ kind: 'quote', isNew: true }, block.blocks);
      case 'item':
        return this.#within({ kind: 'item', item: block, isNew: true }, block.blocks);
      case 'code':
        return this.#codeLines(block);
      case 'paragraph':
        return this.#leaf({ kind: 'paragraph', words: block.words, task });
      case 'definition':
        return this.#leaf({ kind: 'paragraph', words: block.words });
      case 'heading':
      case 'rule':
      case 'table':
        return this.#leaf(block);
    }
  }

  #within(container: Container, blocks: readonly MarkdownBlock[]): void {
    this.#containers.push(container);
    const task = container.kind === 'item' ? container.item.task : undefined;
    for (const [at, block] of blocks.entries()) this.block(block, at === 0 ? task : undefined);
    // An empty item still has its marker.
    if (container.isNew && container.kind === 'item')
      this.#leaf({ kind: 'paragraph', words: new InlineText(''), task });
    this.#containers.pop();
  }

  #codeLines({ language, lines, isContinued }: Extract<MarkdownBlock, { kind: 'code' }>): void {
    if (isContinued !== true) {
      const grammar = language === 'diff' || language === 'patch' ? 'diff' : grammarOf(language);
      this.#code = { grammar, budget: new HighlightBudget(), inside: undefined };
      this.#isAfterBlank ||= this.#last !== undefined && !this.#isInItem();
    }
    const { grammar, budget } = this.#code!;
    for (const text of lines) {
      const { inside } = this.#code!;
      if (grammar === undefined || !budget.take(text)) {
        this.#leaf({ kind: 'code', text });
        continue;
      }
      this.#leaf({ kind: 'code', text, grammar, ...(inside === undefined ? {} : { inside }) });
      if (grammar !== 'diff') this.#code!.inside = highlightLine(text, grammar, inside).inside;
    }
  }

  #isInItem(): boolean {
    return this.#containers.some(({ kind }) => kind === 'item');
  }

  #leaf(leaf: LeafBody): void {
    const here = { kind: leaf.kind, isInItem: this.#isInItem(), depth: this.#containers.length };
    const last = this.#last;
    const isApart = last !== undefined && (this.#isAfterBlank || standApart(last, here));
    const place = placeIn(this.#containers, isApart);
    for (const container of this.#containers) container.isNew = false;
    this.#isAfterBlank = false;
    this.#last = here;
    this.#give({ ...place, ...leaf });
  }
}

type Without<Type, Keys extends PropertyKey> = Type extends unknown ? Omit<Type, Keys> : never;
type LeafBody = Without<MarkdownLeaf, keyof LeafPlace>;

/** True if two blocks need a blank row between them although their source has none. */
function standApart(last: Standing, next: Standing): boolean {
  if (last.kind === 'code' && next.kind === 'code') return false;
  if (last.isInItem && next.isInItem) return false;
  if (last.kind === 'paragraph' && next.kind === 'paragraph') return last.depth !== next.depth && !next.isInItem;
  return true;
}

function placeIn(containers: readonly Container[], isApart: boolean): LeafPlace {
  const rest = containers.map(restPart);
  const first = containers.map((each, at): PrefixPart => {
    if (each.kind === 'quote' || !each.isNew) return rest[at]!;
    return { marker: each.item.number === undefined ? '' : `${each.item.number}${each.item.sign}` };
  });
  if (!isApart) return { first, rest };
  const fresh = containers.findIndex(({ isNew }) => isNew);
  return { blank: fresh < 0 ? rest : rest.slice(0, fresh), first, rest };
}

function restPart(container: Container): PrefixPart {
  if (container.kind === 'quote') return 'quote';
  const { number } = container.item;
  return { blanks: number === undefined ? 2 : String(number).length + 2 };
}

/** Prefixes of rows: bars of quotes, markers of lists and the blanks below them. */
type PrefixPart = 'quote' | { readonly blanks: number } | { readonly marker: string };

export type MarkdownLeaf = LeafPlace &
  (
    | { readonly kind: 'paragraph'; readonly words: InlineText; readonly task?: 'open' | 'done' | undefined }
    | { readonly kind: 'heading'; readonly level: number; readonly words: InlineText }
    | { readonly kind: 'code'; readonly text: string; readonly grammar?: Grammar | 'diff'; readonly inside?: LongToken }
    | { readonly kind: 'rule' }
    | Pick<TableBlock, 'kind' | 'header' | 'alignments' | 'rows'>
  );

interface LeafPlace {
  /** Prefix of the blank row above the block. Absent if there is no such row. */
  readonly blank?: readonly PrefixPart[];
  readonly first: readonly PrefixPart[];
  readonly rest: readonly PrefixPart[];
}

const quoteStyle: Style = { colour: 'quote' };
const markerStyle: Style = { colour: 'marker' };
const headings: readonly Style[] = [
  { weight: 'bold', underline: true },
  { weight: 'bold' },
  { weight: 'bold', italic: true },
  { italic: true },
];

/** The rows of a block. They depend only on the block and the look. */
export function drawMarkdownLeaf(leaf: MarkdownLeaf, look: Look): readonly string[] {
  const [first, rest] = [prefixRow(leaf.first, look), prefixRow(leaf.rest, look)];
  const above = leaf.blank === undefined ? [] : [withoutTail(prefixRow(leaf.blank, look))];
  const isQuoted = leaf.rest.includes('quote');
  const body = leafRows(leaf, look, { first, rest }).map((row) => (isQuoted ? restyled(row, quoteStyle) : row));
  return [...above, ...body].map((row) => drawRow(row, look));
}

function leafRows(leaf: MarkdownLeaf, look: Look, { first, rest }: { first: Row; rest: Row }): readonly Row[] {
  const { width } = look;
  switch (leaf.kind) {
    case 'paragraph': {
      const box = boxPieces(leaf.task, look);
      return inlineLines(leaf.words, look).flatMap((line, at) =>
        wrapRow(at === 0 ? [...box, ...line] : line, { width, first: at === 0 ? first : rest, rest }),
      );
    }
    case 'heading': {
      const line: Row = [plain(`${'#'.repeat(leaf.level)} `), ...inlineRow(leaf.words, look)];
      return wrapRow(restyled(line, headings[Math.min(leaf.level, headings.length) - 1]!), { width, first, rest });
    }
    case 'code':
      return wrapRow(codeRow(leaf), { width, first, rest, breaking: 'anywhere' });
    case 'rule':
      return [[...first, styled(glyphsOf(look).rule.repeat(3), { weight: 'dim' })]];
    case 'table': {
      const room = Math.max(1, width - rowColumns(rest));
      return tableRows(leaf, room, look).map((row, at) => [...(at === 0 ? first : rest), ...row]);
    }
  }
}

function codeRow({ text, grammar, inside }: Extract<MarkdownLeaf, { kind: 'code' }>): Row {
  if (grammar === undefined) return [plain(text)];
  if (grammar !== 'diff') return highlightLine(text, grammar, inside).row;
  if (text.startsWith('@@')) return [styled(text, accentStyle)];
  if (text.startsWith('+')) return [styled(text, goodStyle)];
  return [text.startsWith('-') ? styled(text, badStyle) : plain(text)];
}

function boxPieces(box: 'open' | 'done' | undefined, look: Look): readonly RowPiece[] {
  if (box === undefined) return [];
  const { boxOpen, boxDone } = glyphsOf(look);
  return [box === 'done' ? styled(`${boxDone} `, { colour: 'good' }) : plain(`${boxOpen} `)];
}

function prefixRow(parts: readonly PrefixPart[], look: Look): Row {
  return parts.map((part): RowPiece => {
    if (part === 'quote') return styled('> ', quoteStyle);
    if ('blanks' in part) return plain(' '.repeat(part.blanks));
    if (part.marker === '') return plain(`${glyphsOf(look).listItem} `);
    return styled(`${part.marker} `, markerStyle);
  });
}

function withoutTail(row: Row): Row {
  const end = row.findLastIndex(({ text }) => text.trim() !== '');
  return row.slice(0, end + 1).map((piece, at) => (at === end ? { ...piece, text: piece.text.trimEnd() } : piece));
}

const gap = 2;

function tableRows(
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
