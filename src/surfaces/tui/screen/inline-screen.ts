import { isSingle } from '../text/columns.ts';
import { fitFrame, type Frame, noFrame } from './frame.ts';
import type { TerminalPort } from './terminal-port.ts';

export interface InlineOptions {
  readonly terminal: Pick<TerminalPort, 'columns' | 'rows' | 'write'>;
  /** Columns that a row takes. */
  readonly widthOf: (row: string) => number;
  /** Whether the terminal breaks rows anew when its width changes. Nearly all do. */
  readonly reflows: boolean;
}

/**
 * The screen as a shell has it: what is finished is printed once and belongs to the terminal from then on; below it is a
 * live part of at most a screen, of which only rows that changed are written. Nothing above the live part is ever
 * touched, so what the user had on the screen before stays.
 */
export class InlineScreen {
  readonly #options: InlineOptions;
  /** The live part as it stands on the terminal. */
  #shown: readonly string[] = [];
  /** The row of the live part in which the terminal has its cursor, and where in it. */
  #at = { row: 0, column: 0 };
  #columns: number;
  #hasCursor = true;

  constructor(options: InlineOptions) {
    this.#options = options;
    this.#columns = options.terminal.columns;
  }

  /** Prints finished rows above the live part, which becomes `frame`. */
  show(finished: readonly string[], frame: Frame): void {
    const { terminal } = this.#options;
    const live = fitFrame(frame, terminal.rows);
    const text = this.#changes([...finished, ...live.rows], live, finished.length);
    this.#shown = live.rows;
    if (text !== '') terminal.write(`\u001B[?2026h${text}\u001B[?2026l`);
  }

  /** To be called before the first frame after a change of the size: the terminal has moved what stood on it. */
  resized(): void {
    const { terminal, widthOf, reflows } = this.#options;
    const { columns } = terminal;
    const tall = (width: number): number => (reflows && columns < this.#columns ? rowsOf(width, columns) : 1);
    const above = this.#shown.slice(0, this.#at.row).reduce((sum, row) => sum + tall(widthOf(row)), 0);
    const before = tall(this.#at.column + 1) - 1;
    this.#columns = columns;
    this.#shown = [];
    this.#at = { row: 0, column: 0 };
    terminal.write(`${up(above + before)}\r\u001B[J`);
  }

  /** The terminal was used by another program: the live part is drawn below whatever stands there. */
  forget(): void {
    this.#shown = [];
    this.#at = { row: 0, column: 0 };
    this.#columns = this.#options.terminal.columns;
    this.#hasCursor = true;
  }

  /** Takes the live part away, prints what is left, and leaves the cursor at the beginning of a line. */
  end(finished: readonly string[]): void {
    const { terminal } = this.#options;
    this.show(finished, noFrame);
    terminal.write(`${this.#hasCursor ? '' : '\u001B[?25h'}`);
    this.forget();
  }

  /** What to write. `from`: where the live part begins among the rows. */
  #changes(rows: readonly string[], live: Frame, from: number): string {
    const old = this.#shown;
    let text = '';
    let row = this.#at.row;
    const goTo = (to: number): void => {
      const last = Math.max(0, old.length - 1, row);
      const near = Math.min(to, last);
      if (near !== row) text += near < row ? up(row - near) : down(near - row);
      text += `\r${'\n'.repeat(to - near)}`;
      row = to;
    };
    let written = old.length;
    for (const [at, content] of rows.entries()) {
      if (at < old.length && old[at] === content) continue;
      goTo(at);
      text += at < written ? overwritten(old[at], content) : content;
      written = Math.max(written, at + 1);
    }
    const isShorter = rows.length < old.length;
    // Without a live part the cursor stands below what was printed.
    if (isShorter || (live.rows.length === 0 && rows.length > 0)) goTo(rows.length);
    if (isShorter) text += '\u001B[J';
    const cursor = live.cursor;
    const place = { row: (cursor?.row ?? Math.max(0, live.rows.length - 1)) + from, column: cursor?.column ?? 0 };
    const isMoved = text !== '' || place.row !== this.#at.row || place.column !== this.#at.column;
    if (isMoved) {
      goTo(place.row);
      if (place.column > 0) text += `\u001B[${place.column}C`;
    }
    this.#at = { row: place.row - from, column: place.column };
    const hasCursor = cursor !== undefined;
    if (hasCursor !== this.#hasCursor) text += hasCursor ? '\u001B[?25h' : '\u001B[?25l';
    this.#hasCursor = hasCursor;
    return text;
  }
}

/**
 * What makes a row of another. Of plain text only what differs is written: a screen reader then says the letter that was
 * typed, and not the whole row again.
 */
function overwritten(old: string | undefined, content: string): string {
  if (old === undefined || !isSingle(old) || !isSingle(content)) return `\u001B[2K${content}`;
  let same = 0;
  while (same < old.length && old[same] === content[same]) same++;
  return `${same === 0 ? '' : `\u001B[${same}C`}${content.slice(same)}${content.length < old.length ? '\u001B[K' : ''}`;
}

function rowsOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / Math.max(1, columns)));
}

function up(count: number): string {
  return count > 0 ? `\u001B[${count}A` : '';
}

function down(count: number): string {
  return count > 0 ? `\u001B[${count}B` : '';
}
