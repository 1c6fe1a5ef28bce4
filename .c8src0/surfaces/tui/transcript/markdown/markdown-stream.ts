import { LinkDefinitions } from '../../../../base/markdown/blocks.ts';
import { MarkdownReader } from '../../../../base/markdown/markdown-reader.ts';
import { cleanText, withoutTabs } from '../../screen/text/clean-text.ts';
import type { Look } from '../../screen/text/look.ts';
import { themeOf } from '../../screen/text/themes.ts';
import { drawMarkdownLeaf, type MarkdownLeaf, MarkdownLeafWriter } from './markdown-blocks.ts';

/** Time budget for drawing open blocks: free milliseconds, then a share of the elapsed time. */
const [freeMs, shareOfTime] = [2000, 0.25];

/**
 * Markdown that arrives in pieces. Blocks that no later text can change are drawn once for each look; only the rest is
 * parsed and drawn again. However the text is split, the final rows are the same.
 */
export class MarkdownStream {
  readonly #leaves: MarkdownLeaf[] = [];
  readonly #writer = new MarkdownLeafWriter((leaf) => this.#leaves.push(leaf));
  readonly #reader = new MarkdownReader((block) => this.#writer.block(block), new LinkDefinitions('so far'));
  /** Pieces of the arriving line, joined when needed, so that each append is cheap. */
  #pieces: string[] = [];
  #stable: { readonly key: string; readonly rows: string[]; drawn: number } = { key: '', rows: [], drawn: 0 };
  #isEnded = false;
  #tail: { readonly key: string; readonly below: number; isOld: boolean; readonly rows: readonly string[] } | undefined;
  readonly #begun = performance.now();
  #spent = 0;

  append(text: string): void {
    if (this.#isEnded || text === '') return;
    if (this.#tail !== undefined) this.#tail.isOld = true;
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.#pieces.push(text.slice(from, at));
      const line = this.#pieces.join('');
      this.#pieces = [];
      readLine(this.#reader, line);
      from = at + 1;
    }
    if (from < text.length) this.#pieces.push(text.slice(from));
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#pieces.length > 0) readLine(this.#reader, this.#pieces.join(''));
    this.#pieces = [];
    this.#reader.end();
  }

  rows(look: Look): readonly string[] {
    const stable = this.stableRows(look);
    const tail = this.tailRows(look);
    return tail.length === 0 ? stable : [...stable, ...tail];
  }

  /** Rows from an index on, without copying those above for every frame. */
  rowsFrom(look: Look, from: number): readonly string[] {
    const stable = this.stableRows(look);
    const tail = this.tailRows(look);
    return [...stable.slice(from), ...tail.slice(Math.max(0, from - stable.length))];
  }

  rowTotal(look: Look): number {
    return this.stableRows(look).length + this.tailRows(look).length;
  }

  /** Rows that no later text can change. Gives the same growing list for the same look. */
  stableRows(look: Look): readonly string[] {
    const key = keyOf(look);
    if (this.#stable.key !== key) this.#stable = { key, rows: [], drawn: 0 };
    const stable = this.#stable;
    for (; stable.drawn < this.#leaves.length; stable.drawn += 1) {
      for (const row of drawMarkdownLeaf(this.#leaves[stable.drawn]!, look)) stable.rows.push(row);
    }
    return stable.rows;
  }

  /** Number of blocks that no later text can change. They make the stable rows at any width. */
  get stableBlocks(): number {
    return this.#leaves.length;
  }

  rowCount(blocks: number, look: Look): number {
    return this.#leaves.slice(0, blocks).reduce((sum, leaf) => sum + drawMarkdownLeaf(leaf, look).length, 0);
  }

  /** Rows below the stable ones, as if the text ended here. If parsing is slow, they may lack the latest text. */
  tailRows(look: Look): readonly string[] {
    if (this.#isEnded) return [];
    const key = keyOf(look);
    const [tail, now] = [this.#tail, performance.now()];
    const isDue = this.#spent < freeMs + (now - this.#begun) * shareOfTime;
    if (tail?.key === key && tail.below === this.#leaves.length && !(tail.isOld && isDue)) return tail.rows;
    const rows: string[] = [];
    const writer = this.#writer.copy((leaf) => {
      for (const row of drawMarkdownLeaf(leaf, look)) rows.push(row);
    });
    const reader = this.#reader.copy((block) => writer.block(block));
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    const [partial = ''] = this.#pieces;
    if (partial !== '') readLine(reader, partial);
    reader.end();
    this.#tail = { key, below: this.#leaves.length, isOld: false, rows };
    this.#spent += performance.now() - now;
    return rows;
  }
}

export function drawMarkdown(text: string, look: Look): readonly string[] {
  const rows: string[] = [];
  readLeaves(text, (leaf) => {
    for (const row of drawMarkdownLeaf(leaf, look)) rows.push(row);
  });
  return rows;
}

function readLeaves(text: string, give: (leaf: MarkdownLeaf) => void): void {
  const writer = new MarkdownLeafWriter(give);
  const reader = new MarkdownReader((block) => writer.block(block), new LinkDefinitions('so far'));
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) readLine(reader, line);
  reader.end();
}

function readLine(reader: MarkdownReader, source: string): void {
  for (const line of cleanText(source.replace(/\r+$/, '')).split('\n')) reader.line(withoutTabs(line, 4));
}

const keyOf = ({ width, colours, palette, glyphs, cwd, home }: Look): string =>
  [width, colours, themeOf(palette).name, glyphs, cwd, home].join('\0');

/** A text that is parsed once. Only its visible end is drawn, so that a new width costs no more than a screenful. */
export class MarkdownText {
  readonly #leaves: MarkdownLeaf[] = [];

  constructor(text: string) {
    readLeaves(text, (leaf) => this.#leaves.push(leaf));
  }

  lastRows(look: Look, least: number): { readonly rows: readonly string[]; readonly isAll: boolean } {
    const blocks: (readonly string[])[] = [];
    let [count, at] = [0, this.#leaves.length];
    while (at > 0 && count < least) {
      at -= 1;
      const rows = drawMarkdownLeaf(this.#leaves[at]!, look);
      blocks.push(rows);
      count += rows.length;
    }
    return { rows: blocks.toReversed().flat(), isAll: at === 0 };
  }
}
