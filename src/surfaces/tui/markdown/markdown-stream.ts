import type { Look } from '../text/look.ts';
import { themeOf } from '../text/themes.ts';
import { BlockReader } from './block-reader.ts';
import { drawLeaf } from './draw-leaf.ts';
import type { Leaf } from './leaf.ts';
import { readLine, readMarkdown } from './read-markdown.ts';

/**
 * Markdown that arrives in pieces. Blocks that no later text can change are drawn once for each look; only the rest is
 * drawn again. However the text is split, the rows at the end are the same.
 */
export class MarkdownStream {
  readonly #leaves: Leaf[] = [];
  readonly #reader = new BlockReader((leaf) => this.#leaves.push(leaf));
  /** Of the line that is still arriving. Joined when it is needed: each append is cheap. */
  #pieces: string[] = [];
  #stable: { readonly key: string; readonly rows: string[]; drawn: number } = { key: '', rows: [], drawn: 0 };
  #isEnded = false;
  /** The rows below the stable ones, until more text comes. */
  #tail: { readonly key: string; readonly rows: readonly string[] } | undefined;

  append(text: string): void {
    if (this.#isEnded || text === '') return;
    this.#tail = undefined;
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

  /** Nothing more comes: all rows are stable. */
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

  /** The same from one row on: what is above is not copied for every frame. */
  rowsFrom(look: Look, from: number): readonly string[] {
    const stable = this.stableRows(look);
    const tail = this.tailRows(look);
    return [...stable.slice(from), ...tail.slice(Math.max(0, from - stable.length))];
  }

  /** How many rows there are. */
  rowTotal(look: Look): number {
    return this.stableRows(look).length + this.tailRows(look).length;
  }

  /** Rows that no later text can change. The same list for the same look: it only grows. */
  stableRows(look: Look): readonly string[] {
    const key = keyOf(look);
    if (this.#stable.key !== key) this.#stable = { key, rows: [], drawn: 0 };
    const stable = this.#stable;
    for (; stable.drawn < this.#leaves.length; stable.drawn += 1) {
      for (const row of drawLeaf(this.#leaves[stable.drawn]!, look)) stable.rows.push(row);
    }
    return stable.rows;
  }

  /** How many blocks no later text can change. They make the stable rows, at any width. */
  get stableBlocks(): number {
    return this.#leaves.length;
  }

  /** How many rows the first so many of them have. */
  rowCount(blocks: number, look: Look): number {
    return this.#leaves.slice(0, blocks).reduce((sum, leaf) => sum + drawLeaf(leaf, look).length, 0);
  }

  /** The rows below the stable ones, as they would be if the text ended here. */
  tailRows(look: Look): readonly string[] {
    if (this.#isEnded) return [];
    const key = keyOf(look);
    if (this.#tail?.key === key) return this.#tail.rows;
    const rows: string[] = [];
    const copy = this.#reader.copy((leaf) => rows.push(...drawLeaf(leaf, look)));
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    const [partial = ''] = this.#pieces;
    if (partial !== '') readLine(copy, partial);
    copy.end();
    this.#tail = { key, rows };
    return rows;
  }
}

/** All rows of a text. */
export function drawMarkdown(text: string, look: Look): readonly string[] {
  const rows: string[] = [];
  readMarkdown(text, (leaf) => {
    for (const row of drawLeaf(leaf, look)) rows.push(row);
  });
  return rows;
}

function keyOf({ width, colours, palette, glyphs, cwd, home }: Look): string {
  return [width, colours, themeOf(palette).name, glyphs, cwd, home].join('\0');
}
