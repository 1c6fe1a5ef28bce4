import type { Look } from '../screen/text/look.ts';
import { themeOf } from '../screen/text/themes.ts';
import type { Cell, LastRows } from './cells/cell.ts';

/** A cell of the conversation. */
export interface TranscriptEntry {
  cell: Cell;
  /** Nothing of it changes any more: it may be printed for good. */
  isFinal: boolean;
  /** It is a line that has details, and can be opened by a key. */
  opens?: true;
  /** What the user says in it. */
  prompt?: string;
  /** What the model said in it, as it wrote it. */
  answer?: string;
  /** Of one that still grows: rows that no later text can change, from one on. */
  stableRows?: ((look: Look, from: number) => readonly string[]) | undefined;
  /** Words of the user: a terminal can jump from one to the next. */
  readonly isPrompt?: true;
  /** The same in blocks, which are the same at every width. It stays when the entry is final. */
  blocks?: { readonly stableBlocks: number; rowCount(blocks: number, look: Look): number };
}

/** What is written before the words of the user and behind them. */
export interface PromptMarks {
  readonly begin: string;
  readonly end: string;
}

const noMarks: PromptMarks = { begin: '', end: '' };

/** The first row is the empty one above the words. */
function marked([above = '', ...rows]: readonly string[], { begin, end }: PromptMarks): readonly string[] {
  return [above, ...rows.map((row, at) => `${at === 0 ? begin : ''}${row}${at === rows.length - 1 ? end : ''}`)];
}

/** All cells of the conversation, as a screen that prints them once needs them, and as one that draws a part of them does. */
export class Transcript {
  readonly #entries: TranscriptEntry[] = [];
  readonly #drawn = new DrawnEntries();
  /** Those before it were printed. */
  #next = 0;
  /** Rows of the next one that were printed already. */
  #rowsOfNext = 0;
  /** The blocks that these rows are of. */
  #blocksOfNext = 0;
  /** From it on nothing is printed. Undefined: all of it may be. */
  #heldFrom: number | undefined;

  get entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  add(entry: TranscriptEntry): TranscriptEntry {
    this.#entries.push(entry);
    return entry;
  }

  /** Takes one back of which nothing has been printed. False: something of it was. */
  remove(entry: TranscriptEntry): boolean {
    const at = this.#entries.lastIndexOf(entry);
    if (at < this.#next || (at === this.#next && this.#rowsOfNext > 0)) return false;
    this.#entries.splice(at, 1);
    if (this.#heldFrom !== undefined && at < this.#heldFrom) this.#heldFrom--;
    return true;
  }

  /** Puts one before another: it came later, and belongs there. */
  insertBefore(other: TranscriptEntry, entry: TranscriptEntry): void {
    const at = this.#entries.lastIndexOf(other);
    this.#entries.splice(at, 0, entry);
    // What is before the rows that were printed counts as printed.
    if (at < this.#next || (at === this.#next && this.#rowsOfNext > 0)) this.#next++;
    if (this.#heldFrom !== undefined && at < this.#heldFrom) this.#heldFrom++;
  }

  /** Puts one that has ended behind those that ended before it, as far as it was not printed. */
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

  /** What is added from now on is printed when `keepLast` or `release` was called, and not before: most of it may be past. */
  hold(): void {
    this.#heldFrom ??= this.#entries.length;
  }

  release(): void {
    this.#heldFrom = undefined;
  }

  /**
   * Rows that are to be printed now, each once. What is finished goes before what still runs; a message of which the
   * beginning was printed goes first.
   */
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
      // Nothing comes between the parts of a message.
      if (known + stable.length > 0) break;
    }
    return rows;
  }

  /** The list has the order of the screen. */
  #moveToNext(at: number): void {
    if (at > this.#next) this.#entries.splice(this.#next, 0, ...this.#entries.splice(at, 1));
  }

  /** What came since is drawn at another width: the rows of the same text that were printed are counted anew. */
  resized(look: Look): void {
    const growing = this.#entries[this.#next];
    if (this.#rowsOfNext > 0)
      this.#rowsOfNext = growing?.blocks?.rowCount(this.#blocksOfNext, look) ?? this.#rowsOfNext;
  }

  /** Of what was not printed only the last so many rows will be. */
  keepLast(look: Look, most: number): void {
    this.release();
    let rows = 0;
    let from = this.#entries.length;
    while (from > this.#next && rows < most)
      rows += this.#drawn.last(this.#entries[--from]!, look, most - rows).rows.length + 1;
    this.#next = from;
    this.#rowsOfNext = 0;
  }

  /** What is not printed yet. */
  unfinishedRows(look: Look): readonly string[] {
    return this.#entries
      .slice(this.#next, this.#heldFrom)
      .flatMap((entry, at) => this.#spaced(entry, look, at === 0 ? this.#rowsOfNext : 0));
  }

  /** The last rows of all, as a screen shows them that is scrolled back by `back` rows. */
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

  /** What the user said last before the rows that `lastRows` gives. */
  promptAbove(look: Look, height: number, back: number): string | undefined {
    let count = 0;
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at]!;
      if (entry.prompt !== undefined) {
        // The last message of the user that is not above the screen is in sight.
        if (count >= height + back) return entry.prompt;
        if (count >= back) return undefined;
      }
      // Of what is above the screen it does not matter how long it is.
      if (count < height + back) count += this.#lastSpaced(entry, look, height + back - count).length;
    }
    return undefined;
  }

  /** One entry as it stands among others. */
  spacedRows(entry: TranscriptEntry, look: Look): readonly string[] {
    return this.#spaced(entry, look, 0);
  }

  /** How many rows there are, counted from the end and up to a number: more are not drawn for it. */
  rowCount(look: Look, most: number): number {
    let count = 0;
    for (let at = this.#entries.length - 1; at >= 0 && count < most; at--)
      count += this.#lastSpaced(this.#entries[at]!, look, most - count).length;
    return Math.min(count, most);
  }

  /** See `DrawnEntries`. */
  rowsOf(entry: TranscriptEntry, look: Look): readonly string[] {
    return this.#drawn.rows(entry, look);
  }

  /** With an empty row before it, unless its beginning was printed. A cell without rows takes none. */
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

/** As much of an entry of the transcript as drawing takes. */
interface Drawable {
  readonly cell: Cell;
  readonly isFinal: boolean;
}

interface Drawn extends LastRows {
  readonly key: string;
  readonly cell: Cell;
}

/** The rows of entries: drawn once for a look, as long as nothing of them changes. */
class DrawnEntries {
  readonly #drawn = new WeakMap<Drawable, Drawn>();

  rows(entry: Drawable, look: Look): readonly string[] {
    if (!entry.isFinal) return entry.cell.rows(look);
    const drawn = this.#drawnOf(entry, look);
    if (drawn?.isAll === true) return drawn.rows;
    return this.#keep(entry, look, { rows: entry.cell.rows(look), isAll: true }).rows;
  }

  /** The end of them, at least so many where there are as many: a long answer is not drawn whole for a screen of it. */
  last(entry: Drawable, look: Look, least: number): LastRows {
    const { cell, isFinal } = entry;
    if (cell.lastRows === undefined) return { rows: this.rows(entry, look), isAll: true };
    if (!isFinal) return cell.lastRows(look, least);
    const drawn = this.#drawnOf(entry, look);
    if (drawn !== undefined && (drawn.isAll || drawn.rows.length >= least)) return drawn;
    // More than is asked for: while the user scrolls back, it is not drawn anew for every row.
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

function keyOf(look: Look): string {
  return [look.width, look.colours, themeOf(look.palette).name, look.glyphs, look.details, look.cwd].join(' ');
}
