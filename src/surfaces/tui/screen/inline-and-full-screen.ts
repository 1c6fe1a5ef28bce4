import type { Outcome } from '../../../protocol/outcome.ts';
import { noAlternateScreen } from './terminal/process-terminal.ts';
import { wholeRow } from './terminal/row-changes.ts';
import type { TerminalPort } from './terminal/terminal-port.ts';
import { type PenPlace, RowPen, writeRows } from './terminal/write-rows.ts';
import { drawnColumns } from './text/draw-row.ts';
import { fitFrame, type Frame, noFrame } from './view.ts';

interface ScreensOptions {
  readonly terminal: TerminalPort;
  readonly isFull: boolean;
  readonly reflows: boolean;
}

/**
 * Switches between the two ways to show a conversation: rows printed once with a live part below them, or the full
 * screen. A pager uses the full screen, if the terminal keeps what is behind it.
 */
export class InlineAndFullScreen {
  readonly #terminal: TerminalPort;
  readonly #inline: InlineScreen;
  readonly #full: FullScreen;
  readonly #shape: CursorShape;
  #isFull: boolean;
  #hasPager = false;
  /** Another program has the terminal: a frame would be drawn into its output. */
  #isAside = false;

  constructor({ terminal, isFull, reflows }: ScreensOptions) {
    this.#terminal = terminal;
    this.#isFull = isFull;
    this.#inline = new InlineScreen({ terminal, reflows, widthOf: drawnColumns });
    this.#full = new FullScreen(terminal);
    this.#shape = new CursorShape(terminal);
  }

  /** Call when the terminal is ours. */
  begin(): void {
    if (this.#isFull) this.#full.begin();
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  get isAside(): boolean {
    return this.#isAside;
  }

  /** The full screen is drawn, and the earlier contents are kept behind it. */
  get hasWhole(): boolean {
    return this.#isFull || (this.#hasPager && this.#terminal.keepsScreen);
  }

  setPager(hasPager: boolean): void {
    const isOther = !this.#isFull && this.#terminal.keepsScreen;
    if (isOther && hasPager !== this.#hasPager) {
      if (hasPager) this.#full.begin();
      else this.#full.end();
    }
    this.#hasPager = hasPager;
  }

  switchMode(): Outcome | undefined {
    if (!this.#isFull && !this.#terminal.keepsScreen) return noAlternateScreen;
    this.#isFull = !this.#isFull;
    if (this.#isFull) {
      this.#inline.end([]);
      this.#full.begin();
    } else {
      this.#full.end();
      this.#inline.forget();
    }
    return undefined;
  }

  /** Sets the cursor shape for the Vim mode, if the composer has the keyboard. */
  showCursor(mode: Parameters<CursorShape['show']>[0]): void {
    this.#shape.show(mode);
  }

  showWhole(frame: Frame): void {
    this.#full.show(frame);
  }

  /** `printed`: rows for the scrollback, above the live part. */
  showInline(printed: readonly string[], live: Frame): void {
    this.#inline.show(printed, live);
  }

  resized(): void {
    if (!this.hasWhole) this.#inline.resized();
    this.#full.forget();
  }

  /** Frees the terminal for another program. `finished`: rows to leave on the inline screen. */
  stepAside(finished: () => readonly string[]): void {
    this.#isAside = true;
    this.#shape.show(undefined);
    if (this.hasWhole) this.#full.end();
    else this.#inline.end(finished());
  }

  cameBack(): void {
    this.#isAside = false;
    this.#inline.forget();
    if (this.hasWhole) this.#full.begin();
  }

  end(left: readonly string[], summary: readonly string[]): void {
    this.#shape.show(undefined);
    if (this.hasWhole) this.#full.end();
    this.#inline.end(left);
    // Write the summary after the live part is gone: its rows may be longer than the screen is wide.
    this.#terminal.write(summary.map((row) => `${row}\r\n`).join(''));
  }
}

const shapes = { insert: '\u001B[6 q', replace: '\u001B[4 q', normal: '\u001B[2 q' } as const;
/** The user's own cursor shape. */
const usual = '\u001B[0 q';

/**
 * A bar where keys insert, a line where they overwrite, and a block where they are commands. Without Vim mode the shape
 * is left unchanged.
 */
class CursorShape {
  readonly #terminal: Pick<TerminalPort, 'write'>;
  #shown: keyof typeof shapes | undefined;

  constructor(terminal: Pick<TerminalPort, 'write'>) {
    this.#terminal = terminal;
  }

  show(mode: keyof typeof shapes | undefined): void {
    if (mode === this.#shown) return;
    this.#shown = mode;
    this.#terminal.write(mode === undefined ? usual : shapes[mode]);
  }
}

const anywhere: PenPlace = { row: 0, column: undefined };

/** The full screen, drawn by rows. The terminal keeps the earlier contents, and shows them again at the end. */
export class FullScreen {
  readonly #terminal: Pick<TerminalPort, 'columns' | 'rows' | 'write'>;
  /** Undefined: the contents are unknown. */
  #shown: readonly string[] | undefined;
  #at: PenPlace = anywhere;
  #hasCursor: boolean | undefined;

  constructor(terminal: Pick<TerminalPort, 'columns' | 'rows' | 'write'>) {
    this.#terminal = terminal;
  }

  begin(): void {
    // Enable wheel reports: as arrow keys it would move the cursor of the composer.
    this.#terminal.write('\u001B[?1049h\u001B[?1000h\u001B[?1006h\u001B[2J');
    this.forget();
  }

  forget(): void {
    this.#shown = undefined;
    this.#at = anywhere;
    this.#hasCursor = undefined;
  }

  /** Writes only changed rows, and scrolls moved ones. */
  show({ rows, cursor }: Frame): void {
    const { rows: height, columns } = this.#terminal;
    const next = Array.from({ length: height }, (_, at) => rows[at] ?? '');
    const pen = new RowPen(this.#at, { part: 'whole', rows: height, columns });
    if (this.#shown?.length === height) writeRows(pen, this.#shown, { rows: next, height });
    else for (const [at, row] of next.entries()) pen.change(at, wholeRow(row));
    const hasCursor = cursor !== undefined && cursor.row < height;
    if (hasCursor) pen.goTo(cursor.row, cursor.column);
    const sight = cursorVisibility(this.#hasCursor, hasCursor);
    if (pen.text + sight === '') return;
    this.#terminal.write(`\u001B[?2026h${pen.text}${sight}\u001B[?2026l`);
    [this.#shown, this.#at, this.#hasCursor] = [next, pen.place, hasCursor];
  }

  end(): void {
    // After a resize, tmux would move a row of it into the scrollback.
    this.#terminal.write('\u001B[H\u001B[J\u001B[?1006l\u001B[?1000l\u001B[?1049l\u001B[?25h');
    this.forget();
  }
}

function cursorVisibility(had: boolean | undefined, has: boolean): string {
  if (had === has) return '';
  return has ? '\u001B[?25h' : '\u001B[?25l';
}

export interface InlineOptions {
  readonly terminal: Pick<TerminalPort, 'columns' | 'rows' | 'write'>;
  readonly widthOf: (row: string) => number;
  /** True if the terminal rewraps rows when its width changes. Nearly all do. */
  readonly reflows: boolean;
}

/** Before the first frame: in the row where the live part begins. */
const somewhere: PenPlace = { row: 0, column: undefined };

/**
 * The screen as a shell uses it: finished rows are printed once and then belong to the terminal; below them is a live
 * part of at most a screen, of which only changed rows are written and moved ones scrolled. Nothing above the live part
 * is ever touched, so the user's earlier output stays.
 */
export class InlineScreen {
  readonly #options: InlineOptions;
  #shown: readonly string[] = [];
  /** Terminal cursor: the row of the live part and the column. */
  #at: PenPlace = somewhere;
  #columns: number;
  #hasCursor = true;

  constructor(options: InlineOptions) {
    this.#options = options;
    this.#columns = options.terminal.columns;
  }

  show(finished: readonly string[], frame: Frame): void {
    const { terminal } = this.#options;
    const live = fitFrame(frame, terminal.rows);
    const text = this.#changes([...finished, ...live.rows], live, finished.length);
    this.#shown = live.rows;
    if (text !== '') terminal.write(`\u001B[?2026h${text}\u001B[?2026l`);
  }

  /** Call before the first frame after a resize: the terminal has moved its contents. */
  resized(): void {
    const { terminal, widthOf, reflows } = this.#options;
    const { columns } = terminal;
    const tall = (width: number): number => (reflows && columns < this.#columns ? rowsOf(width, columns) : 1);
    const above = this.#shown.slice(0, this.#at.row).reduce((sum, row) => sum + tall(widthOf(row)), 0);
    const before = tall((this.#at.column ?? 0) + 1) - 1;
    this.#columns = columns;
    this.#shown = [];
    this.#at = { row: 0, column: 0 };
    terminal.write(`${above + before > 0 ? `\u001B[${above + before}A` : ''}\r\u001B[J`);
  }

  /** Another program used the terminal: the live part is drawn below its output. */
  forget(): void {
    this.#shown = [];
    this.#at = somewhere;
    this.#columns = this.#options.terminal.columns;
    this.#hasCursor = true;
  }

  /** Erases the live part, prints the remaining rows, and leaves the cursor at the beginning of a line. */
  end(finished: readonly string[]): void {
    const { terminal } = this.#options;
    this.show(finished, noFrame);
    terminal.write(`${this.#hasCursor ? '' : '\u001B[?25h'}`);
    this.forget();
  }

  #changes(rows: readonly string[], live: Frame, from: number): string {
    const { terminal } = this.#options;
    const pen = new RowPen(this.#at, { part: 'live', rows: this.#shown.length, columns: terminal.columns });
    writeRows(pen, this.#shown, { rows, height: terminal.rows });
    const cursor = live.cursor;
    // Without a live part the cursor is below the printed rows.
    const last = live.rows.length === 0 ? 0 : live.rows.length - 1;
    const place = { row: cursor?.row ?? last, column: cursor?.column ?? 0 };
    pen.goTo(place.row + from, place.column);
    this.#at = place;
    const hasCursor = cursor !== undefined;
    const sight = cursorVisibility(this.#hasCursor, hasCursor);
    this.#hasCursor = hasCursor;
    return pen.text + sight;
  }
}

const rowsOf = (width: number, columns: number): number => Math.max(1, Math.ceil(width / Math.max(1, columns)));
