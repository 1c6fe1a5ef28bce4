import type { Look } from '../screen/text/look.ts';
import { themeOf } from '../screen/text/themes.ts';
import type { Cell, LastRows } from './cells/cell.ts';

export interface TranscriptEntry {
  cell: Cell;
  /** It no longer changes, and may be printed for good. */
  isFinal: boolean;
  opens?: true;
  prompt?: string;
  /** The model's words in it, as written. */
  answer?: string;
  /** For a growing entry: rows from an index on that no later text can change. */
  stableRows?: ((look: Look, from: number) => readonly string[]) | undefined;
  /** User message: a terminal can jump between these. */
  readonly isPrompt?: true;
  /** Stable rows in blocks, which are the same at every width. Kept when the entry is final. */
  blocks?: { readonly stableBlocks: number; rowCount(blocks: number, look: Look): number };
}

export type PromptMarks = { readonly begin: string; readonly end: string };

const noMarks: PromptMarks = { begin: '', end: '' };

/** The first row is the empty one above the words. */
const marked = ([above = '', ...rows]: readonly string[], { begin, end }: PromptMarks): readonly string[] => [
  above,
  ...rows.map((row, at) => `${at === 0 ? begin : ''}${row}${at === rows.length - 1 ? end : ''}`),
];

/** All cells of the conversation, both for a screen that prints them once and for one that draws a part of them. */
export class Transcript {
  readonly #entries: TranscriptEntry[] = [];
  readonly #drawn = new DrawnEntries();
  /** Index of the first entry that is not fully printed. */
  #next = 0;
  /** Rows of that entry already printed. */
  #rowsOfNext = 0;
  #blocksOfNext = 0;
  /** Nothing from this index on is printed. Undefined: all may be. */
  #heldFrom: number | undefined;

  get entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  add(entry: TranscriptEntry): TranscriptEntry {
    this.#entries.push(entry);
    return entry;
  }

  /** Removes an entry unless it was partly printed. False: it was. */
  remove(entry: TranscriptEntry): boolean {
    const at = this.#entries.lastIndexOf(entry);
    if (at < this.#next || (at === this.#next && this.#rowsOfNext > 0)) return false;
    this.#entries.splice(at, 1);
    if (this.#heldFrom !== undefined && at < this.#heldFrom) this.#heldFrom--;
    return true;
  }

  insertBefore(other: TranscriptEntry, entry: TranscriptEntry): void {
    const at = this.#entries.lastIndexOf(other);
    this.#entries.splice(at, 0, entry);
    // Entries before printed rows count as printed.
    if (at < this.#next || (at === this.#next && this.#rowsOfNext > 0)) this.#next++;
    if (this.#heldFrom !== undefined && at < this.#heldFrom) this.#heldFrom++;
  }

  /** Moves an ended entry after those that ended earlier, unless it was printed. */
  moveBehindEnded(entry: TranscriptEntry): void {
    const last = this.#entries.findLastIndex(({ isFinal }) => isFinal);
    if (last <= this.#entries.lastIndexOf(entry) || !this.remove(entry)) return;
    this.#entries.splice(last, 0, entry);
  }

  isPrinted(entry: TranscriptEntry): boolean {
    return this.#entries.lastIndexOf(entry) < this.#next;
  }

  clear(): void {
    this.#entries.length = 0;
    this.#next = 0;
    this.#rowsOfNext = 0;
    this.#heldFrom = undefined;
  }

  /** Entries added from now on are not printed before `keepLast` or `release`: most may belong to the past. */
  hold(): void {
    this.#heldFrom ??= this.#entries.length;
  }

  release(): void {
    this.#heldFrom = undefined;
  }

  /** Rows to print now, each once. Final entries overtake unfinished ones, but no message that is partly printed. */
  takeFinished(look: Look, marks: PromptMarks = noMarks): readonly string[] {
    const rows: string[] = [];
    for (let at = this.#next; at < (this.#heldFrom ?? this.#entries.length); at++) {
      const entry = this.#entries[at]!;
      if (entry.isFinal) {
        const spaced = this.#spaced(entry, look, at === this.#next ? this.#rowsOfNext : 0);
        rows.push(...(entry.isPrompt === true ? marked(spaced, marks) : spaced));
        this.#moveToNext(at);
        this.#next++;
        this.#rowsOfNext = 0;
        continue;
      }
      const known = at === this.#next ? this.#rowsOfNext : 0;
      const stable = entry.stableRows?.(look, known) ?? [];
      if (stable.length > 0) {
        this.#moveToNext(at);
        rows.push(...(known === 0 ? [''] : []), ...stable);
        this.#rowsOfNext = known + stable.length;
        this.#blocksOfNext = entry.blocks?.stableBlocks ?? 0;
      }
      // Nothing may come between the parts of a message.
      if (known + stable.length > 0) break;
    }
    return rows;
  }

  #moveToNext(at: number): void {
    if (at > this.#next) this.#entries.splice(this.#next, 0, ...this.#entries.splice(at, 1));
  }

  /** Call when the width has changed: counts the rows that the printed text has at the new width. */
  resized(look: Look): void {
    if (this.#rowsOfNext > 0)
      this.#rowsOfNext = this.#entries[this.#next]?.blocks?.rowCount(this.#blocksOfNext, look) ?? this.#rowsOfNext;
  }

  /** Limits the rows that remain to be printed to about the last `most`. */
  keepLast(look: Look, most: number): void {
    this.release();
    let rows = 0;
    let from = this.#entries.length;
    while (from > this.#next && rows < most)
      rows += this.#drawn.last(this.#entries[--from]!, look, most - rows).rows.length + 1;
    this.#next = from;
    this.#rowsOfNext = 0;
  }

  unfinishedRows(look: Look): readonly string[] {
    return this.#entries
      .slice(this.#next, this.#heldFrom)
      .flatMap((entry, at) => this.#spaced(entry, look, at === 0 ? this.#rowsOfNext : 0));
  }

  lastRows(look: Look, height: number, back: number): readonly string[] {
    const parts: (readonly string[])[] = [];
    let count = 0;
    for (let at = this.#entries.length - 1; at >= 0 && count < height + back; at--) {
      const rows = this.#lastSpaced(this.#entries[at]!, look, height + back - count);
      parts.push(rows);
      count += rows.length;
    }
    const rows = parts.toReversed().flat();
    const end = Math.max(Math.min(height, rows.length), rows.length - back);
    return rows.slice(Math.max(0, end - height), end);
  }

  /** The last message of the user before the rows that `lastRows` gives. */
  promptAbove(look: Look, height: number, back: number): string | undefined {
    let count = 0;
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at]!;
      if (entry.prompt !== undefined) {
        // The user's message is visible itself.
        if (count >= height + back) return entry.prompt;
        if (count >= back) return undefined;
      }
      // The length of entries above the screen does not matter.
      if (count < height + back) count += this.#lastSpaced(entry, look, height + back - count).length;
    }
    return undefined;
  }

  spacedRows(entry: TranscriptEntry, look: Look): readonly string[] {
    return this.#spaced(entry, look, 0);
  }

  rowCount(look: Look, most: number): number {
    let count = 0;
    for (let at = this.#entries.length - 1; at >= 0 && count < most; at--)
      count += this.#lastSpaced(this.#entries[at]!, look, most - count).length;
    return Math.min(count, most);
  }

  rowsOf(entry: TranscriptEntry, look: Look): readonly string[] {
    return this.#drawn.rows(entry, look);
  }

  /** The rows of an entry, after an empty row unless its beginning was printed. None if the cell has no rows. */
  #spaced(entry: TranscriptEntry, look: Look, printed: number): readonly string[] {
    if (printed > 0 && !entry.isFinal && entry.cell.rowsFrom !== undefined) return entry.cell.rowsFrom(look, printed);
    const rows = this.rowsOf(entry, look);
    if (rows.length === 0) return rows;
    return printed === 0 ? ['', ...rows] : rows.slice(printed);
  }

  #lastSpaced(entry: TranscriptEntry, look: Look, least: number): readonly string[] {
    const { rows, isAll } = this.#drawn.last(entry, look, least);
    return isAll && rows.length > 0 ? ['', ...rows] : rows;
  }
}

type Drawable = Readonly<Pick<TranscriptEntry, 'cell' | 'isFinal'>>;
type Drawn = LastRows & { readonly key: string; readonly cell: Cell };

/** Caches rows of entries for a look until the entry changes. */
class DrawnEntries {
  readonly #drawn = new WeakMap<Drawable, Drawn>();

  rows(entry: Drawable, look: Look): readonly string[] {
    if (!entry.isFinal) return entry.cell.rows(look);
    const drawn = this.#drawnOf(entry, look);
    if (drawn?.isAll === true) return drawn.rows;
    return this.#keep(entry, look, { rows: entry.cell.rows(look), isAll: true }).rows;
  }

  /** The last rows, at least `least` if there are as many: a screenful of a long answer does not draw all of it. */
  last(entry: Drawable, look: Look, least: number): LastRows {
    const { cell, isFinal } = entry;
    if (cell.lastRows === undefined) return { rows: this.rows(entry, look), isAll: true };
    if (!isFinal) return cell.lastRows(look, least);
    const drawn = this.#drawnOf(entry, look);
    if (drawn !== undefined && (drawn.isAll || drawn.rows.length >= least)) return drawn;
    // Draw more than requested, so that scrolling back does not redraw for every row.
    return this.#keep(entry, look, cell.lastRows(look, least * 2));
  }

  #drawnOf(entry: Drawable, look: Look): Drawn | undefined {
    const drawn = this.#drawn.get(entry);
    return drawn?.cell === entry.cell && drawn.key === keyOf(look) ? drawn : undefined;
  }

  #keep(entry: Drawable, look: Look, { rows, isAll }: LastRows): LastRows {
    this.#drawn.set(entry, { key: keyOf(look), cell: entry.cell, rows, isAll });
    return { rows, isAll };
  }
}

const keyOf = (look: Look): string =>
  [look.width, look.colours, themeOf(look.palette).name, look.glyphs, look.details, look.cwd].join(' ');
