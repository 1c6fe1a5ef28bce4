import { planTags } from '../../../../protocol/item.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import { PlanTagStream } from '../../../views/wording/proposed-plan-tags.ts';
import { shownPipedInput } from '../../../views/wording/turn-lines.ts';
import { cleanLines } from '../../screen/text/clean-text.ts';
import { drawRow, drawRows, filledRow, hasBackgroundColours } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, styled } from '../../screen/text/style.ts';
import type { RowPiece, Row, Style } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { drawMarkdown, MarkdownStream, MarkdownText } from '../markdown/markdown-stream.ts';
import { type Cell, cellFromRows, headRows, type LastRows } from './cell.ts';
import { foldRow } from './folded-output.ts';

/** A message of the model. A proposed plan is set apart. */
export function answerCell({ text, plan }: Pick<Extract<TurnItem, { kind: 'agent-message' }>, 'text' | 'plan'>): Cell {
  if (plan === undefined) return proseCell(text);
  return {
    rows(look) {
      const [before, after] = aroundPlan(text);
      const parts = [part('prose', before, look), part('plan', plan, look), part('prose', after, look)];
      return answerSectionRows(parts, look);
    },
  };
}

function proseCell(text: string): Cell {
  let read: MarkdownText | undefined;
  return {
    rows: (look) => answerSectionRows([part('prose', text, look)], look),
    lastRows(look, least) {
      read ??= new MarkdownText(text.trim() === '' ? '' : text);
      const { rows, isAll } = read.lastRows(answerLook(look), least);
      return { rows: answerRows(rows, look, isAll ? 0 : 1), isAll };
    },
  };
}

function part(kind: AnswerSection['kind'], text: string, look: Look): AnswerSection {
  return { kind, rows: text.trim() === '' ? [] : drawMarkdown(text, answerLook(look)) };
}

function aroundPlan(text: string): readonly [string, string] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.trim() === planTags[0]);
  const to = lines.findIndex((line, at) => at > from && line.trim() === planTags[1]);
  return from < 0 || to < 0 ? [text, ''] : [lines.slice(0, from).join('\n'), lines.slice(to + 1).join('\n')];
}

type AnswerSection = { readonly kind: 'prose' | 'plan'; readonly rows: readonly string[] };

/** Draws the parts of an answer that have rows, a proposed plan below a heading. */
function answerSectionRows(parts: readonly AnswerSection[], look: Look): readonly string[] {
  return parts
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ kind, rows }, at) => [
      ...(at === 0 ? [] : ['']),
      ...(kind === 'prose' ? answerRows(rows, look) : planRows(rows, look)),
    ]);
}

function planRows(rows: readonly string[], look: Look): readonly string[] {
  const indent = look.glyphs === 'words' ? 0 : look.width - answerLook(look).width;
  return [...planHead(look), ...rows.map((row) => (row === '' ? '' : `${' '.repeat(indent)}${row}`))];
}

const planHead = (look: Look): readonly string[] => [
  ...drawRows(headRows(look, 'plain', [styled('Proposed Plan', boldStyle)]), look),
  '',
];

/** Narrower screens have no margin. */
const leastWidth = 8;
const speaker = 'Capstan: ';
const hasSpeaker = ({ width }: Look): boolean => width >= 3 * speaker.length;

export function answerLook(look: Look): Look {
  if (look.glyphs === 'words') return hasSpeaker(look) ? { ...look, width: look.width - speaker.length } : look;
  return look.width < leastWidth ? look : { ...look, width: look.width - 2 };
}

/** Adds the margin to rows, and a mark before the first. `at`: index of the first row in the answer. */
function answerRows(rows: readonly string[], look: Look, at = 0): readonly string[] {
  if (look.glyphs === 'words')
    return at === 0 && hasSpeaker(look) ? rows.map((row, index) => (index === 0 ? `${speaker}${row}` : row)) : rows;
  if (look.width < leastWidth) return rows;
  const mark = drawRow([styled(glyphsOf(look).bullet, dimStyle)], look);
  return rows.map((row, index) => (at + index === 0 ? `${mark} ${row}` : row === '' ? '' : `  ${row}`));
}

const newPart = (kind: AnswerSection['kind']) => ({ kind, markdown: new MarkdownStream(), hasText: false });

/** An arriving answer. When its item is complete, `answerCell` replaces it with the same rows. */
export class AnswerStream implements Cell {
  readonly #parts = [newPart('prose')];
  readonly #tags = new PlanTagStream();

  append(text: string): void {
    // By line: a tag is a line of its own, and text after it belongs to another part.
    for (const line of text.split(/(?<=\n)/)) this.#add(this.#tags.push(line));
  }

  end(): void {
    this.#add(this.#tags.end());
    this.#last.markdown.end();
  }

  rows(look: Look): readonly string[] {
    const inside = answerLook(look);
    const parts = this.#parts.map(({ kind, markdown }) => ({ kind, rows: markdown.rows(inside) }));
    return answerSectionRows(parts, look);
  }

  rowsFrom(look: Look, from: number): readonly string[] {
    if (this.#parts.length > 1) return this.rows(look).slice(from);
    return answerRows(this.#last.markdown.rowsFrom(answerLook(look), from), look, from);
  }

  lastRows(look: Look, least: number): LastRows {
    const all = this.#parts.length > 1 ? 0 : this.#last.markdown.rowTotal(answerLook(look));
    const from = Math.max(0, all - least);
    return { rows: this.rowsFrom(look, from), isAll: from === 0 };
  }

  /** Rows that no later text can change. `from`: rows above it are known. */
  stableRows(look: Look, from = 0): readonly string[] {
    const inside = answerLook(look);
    const { markdown } = this.#last;
    if (this.#parts.length === 1) {
      const rows = markdown.stableRows(inside);
      return answerRows(from === 0 ? rows : rows.slice(from), look, from);
    }
    const parts = this.#parts.map(({ kind, markdown: own }) => ({
      kind,
      rows: own === markdown ? own.stableRows(inside) : own.rows(inside),
    }));
    return answerSectionRows(parts, look).slice(from);
  }

  /** Number of blocks that make the stable rows. */
  get stableBlocks(): number {
    return this.#parts.reduce((sum, { markdown }) => sum + markdown.stableBlocks, 0);
  }

  rowCount(blocks: number, look: Look): number {
    let [rows, left] = [0, blocks];
    for (const { kind, markdown } of this.#parts) {
      const own = markdown.rowCount(Math.min(left, markdown.stableBlocks), answerLook(look));
      const heading = kind === 'prose' ? 0 : planHead(look).length;
      if (own > 0) rows += (rows === 0 ? 0 : 1) + heading + own;
      left = Math.max(0, left - markdown.stableBlocks);
    }
    return rows;
  }

  get #last() {
    return this.#parts.at(-1)!;
  }

  #add(text: string): void {
    const part = this.#last;
    const passed = part.hasText ? text : text.replace(/^\n+/, '');
    part.hasText ||= passed !== '';
    part.markdown.append(passed);
    if (this.#tags.passed < this.#parts.length) return;
    part.markdown.end();
    this.#parts.push(newPart(this.#tags.passed === 1 ? 'plan' : 'prose'));
  }
}

const thinking: Style = { weight: 'dim', italic: true };

/** The model's own summary of its thinking, shown only in the transcript view. */
export function reasoningCell({ summary }: Extract<TurnItem, { kind: 'reasoning' }>): Cell {
  return cellFromRows((look) => {
    if (look.details === 'folded') return [];
    const lines = summary.flatMap((part, at) => [
      ...(at === 0 ? [] : ['']),
      ...cleanLines(part.replaceAll('**', '').trim()),
    ]);
    return lines.flatMap((line, at) => headRows(look, at === 0 ? 'quiet' : { text: ' ' }, [styled(line, thinking)]));
  });
}

/** A message of the user: a tinted block, if the terminal has tints. */
export function userCell({ text, images }: Extract<TurnItem, { kind: 'user-message' }>): Cell {
  return cellFromRows((look) => {
    const lines = cleanLines(shownPipedInput(text.trimEnd()));
    const isFolded = look.details !== 'whole' && lines.length > mostLines;
    const pictures = images.map((_, at): Row => [styled(`[Image #${at + 1}]`, accentStyle)]);
    const shown = [
      ...(isFolded ? lines.slice(0, keptLines) : lines).map(mentions),
      ...(isFolded ? [foldRow(lines.length - keptLines, look)] : []),
      ...(/\[Image #\d/.test(text) ? [] : pictures),
    ];
    const width = Math.max(1, look.width - 1);
    const rows = shown.flatMap((line, at) => wrapRow(line, { width, ...prefixes(look, at) }));
    if (!hasBackgroundColours(look)) return rows;
    return [[], ...rows, []].map((row) => filledRow(row, look.width, { back: 'tint' }));
  });
}

const [mostLines, keptLines] = [60, 40];

function prefixes(look: Look, at: number): { readonly first: Row; readonly rest: Row } {
  if (look.glyphs === 'words') return { first: at === 0 ? [plain('You: ')] : [], rest: [] };
  const rest: Row = [plain('  ')];
  return { first: at === 0 ? [styled(glyphsOf(look).prompt, { weight: 'bold' }), plain(' ')] : rest, rest };
}

/** Highlights files, skills and pictures that the text names. */
function mentions(line: string): Row {
  const row: RowPiece[] = [];
  let from = 0;
  for (const found of line.matchAll(/(?<![^\s(])(?:[@$][\w./~-]{1,200}|\[Image #\d{1,4}\])/g)) {
    if (found.index > from) row.push(plain(line.slice(from, found.index)));
    row.push(styled(found[0], accentStyle));
    from = found.index + found[0].length;
  }
  return from === 0 ? [plain(line)] : [...row, plain(line.slice(from))];
}
