import type { Outcome } from '../../../protocol/outcome.ts';
import { noAlternateScreen } from './terminal/process-terminal.ts';
import { wholeRow } from './terminal/row-changes.ts';
import type { TerminalPort } from './terminal/terminal-port.ts';
import { type PenPlace, RowPen, repaintScreenRows } from './terminal/write-rows.ts';
import { drawnColumns } from './text/draw-row.ts';
import type { TuiScreenOptions } from './tui-screen.ts';
import { fitFrame, type Frame, noFrame } from './view.ts';

/** A bar where keys insert, a line where they overwrite, and a block where they are commands. */
const cursorShapes = { insert: '\u001B[6 q', replace: '\u001B[4 q', normal: '\u001B[2 q' } as const;

/**
 * Switches between the two ways to show a conversation: rows printed once with a live part below them, or the full
 * screen. A pager uses the full screen if the terminal can restore the earlier contents.
 */
export class InlineAndFullScreen {
  readonly #terminal: TerminalPort;
  readonly inline: InlineScreen;
  readonly full: FullScreen;
  #cursorMode: keyof typeof cursorShapes | undefined;
  #isFull: boolean;
  #hasPager = false;
  /** Another program has the terminal: a frame would be drawn into its output. */
  #isAside = false;

  constructor({ terminal, isFull, reflows }: Pick<TuiScreenOptions, 'terminal' | 'isFull' | 'reflows'>) {
    this.#terminal = terminal;
    this.#isFull = isFull;
    this.inline = new InlineScreen(terminal, reflows);
    this.full = new FullScreen(terminal);
  }

  /** Call when Capstan has the terminal. */
  begin(): void {
    if (this.#isFull) this.full.begin();
  }

  get isFull(): boolean {
    return this.#isFull;
  }
  get isAside(): boolean {
    return this.#isAside;
  }

  /** True if the full screen is shown, and the terminal keeps the earlier contents. */
  get hasWhole(): boolean {
    return this.#isFull || (this.#hasPager && this.#terminal.keepsScreen);
  }

  setPager(hasPager: boolean): void {
    const isOther = !this.#isFull && this.#terminal.keepsScreen;
    if (isOther && hasPager !== this.#hasPager) {
      if (hasPager) this.full.begin();
      else this.full.end();
    }
    this.#hasPager = hasPager;
  }

  switchMode(): Outcome | undefined {
    if (!this.#isFull && !this.#terminal.keepsScreen) return noAlternateScreen;
    this.#isFull = !this.#isFull;
    if (this.#isFull) {
      this.inline.end([]);
      this.full.begin();
    } else {
      this.full.end();
      this.inline.forget();
    }
    return undefined;
  }

  /** Sets the cursor shape for the Vim mode, if the composer has the keyboard. Undefined: the user's own shape. */
  showCursor(mode: keyof typeof cursorShapes | undefined): void {
    if (mode === this.#cursorMode) return;
    this.#cursorMode = mode;
    this.#terminal.write(mode === undefined ? '\u001B[0 q' : cursorShapes[mode]);
  }

  resized(): void {
    if (!this.hasWhole) this.inline.resized();
    this.full.forget();
  }

  /** Frees the terminal for another program. `finished`: rows to leave on the inline screen. */
  stepAside(finished: () => readonly string[]): void {
    this.#isAside = true;
    this.showCursor(undefined);
    if (this.hasWhole) this.full.end();
    else this.inline.end(finished());
  }

  cameBack(): void {
    this.#isAside = false;
    this.inline.forget();
    if (this.hasWhole) this.full.begin();
  }

  end(left: readonly string[], summary: readonly string[]): void {
    this.showCursor(undefined);
    if (this.hasWhole) this.full.end();
    this.inline.end(left);
    // Write the summary after the live part is gone: its rows may be longer than the screen is wide.
    this.#terminal.write(summary.map((row) => `${row}\r\n`).join(''));
  }
}

type DrawnTerminal = Pick<TerminalPort, 'columns' | 'rows' | 'write'>;
const anywhere: PenPlace = { row: 0, column: undefined };

/** The full screen, drawn by rows. The terminal keeps the earlier contents, and shows them again at the end. */
export class FullScreen {
  readonly #terminal: DrawnTerminal;
  /** Undefined: the contents are unknown. */
  #shown: readonly string[] | undefined;
  #at: PenPlace = anywhere;
  #hasCursor: boolean | undefined;

  constructor(terminal: DrawnTerminal) {
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
    if (this.#shown?.length === height) repaintScreenRows(pen, this.#shown, { rows: next, height });
    else for (const [at, row] of next.entries()) pen.change(at, wholeRow(row));
    const hasCursor = cursor !== undefined && cursor.row < height;
    if (hasCursor) pen.goTo(cursor.row, cursor.column);
    const sight = cursorVisibility(this.#hasCursor, hasCursor);
    if (pen.text + sight === '') return;
    this.#terminal.write(`\u001B[?2026h${pen.text}${sight}\u001B[?2026l`);
    [this.#shown, this.#at, this.#hasCursor] = [next, pen.place, hasCursor];
  }

  end(): void {
    // Erase the screen first: after a resize, tmux would move one of its rows into the scrollback.
    this.#terminal.write('\u001B[H\u001B[J\u001B[?1006l\u001B[?1000l\u001B[?1049l\u001B[?25h');
    this.forget();
  }
}

function cursorVisibility(had: boolean | undefined, has: boolean): string {
  if (had === has) return '';
  return has ? '\u001B[?25h' : '\u001B[?25l';
}

/**
 * The screen as a shell uses it: Capstan prints finished rows once, and they then belong to the terminal. Below them is
 * a live part of at most one screen, in which Capstan writes only changed rows and scrolls moved ones. It never touches
 * anything above the live part, so the user's earlier output stays.
 */
export class InlineScreen {
  readonly #terminal: DrawnTerminal;
  /** True if the terminal rewraps rows when its width changes. Nearly all do. */
  readonly #reflows: boolean;
  #shown: readonly string[] = [];
  /** Terminal cursor: the row of the live part, counted from where it begins, and the column. */
  #at: PenPlace = anywhere;
  #columns: number;
  #hasCursor = true;

  constructor(terminal: DrawnTerminal, reflows: boolean) {
    this.#terminal = terminal;
    this.#reflows = reflows;
    this.#columns = terminal.columns;
  }

  show(finished: readonly string[], frame: Frame): void {
    const live = fitFrame(frame, this.#terminal.rows);
    const text = this.#changes([...finished, ...live.rows], live, finished.length);
    this.#shown = live.rows;
    if (text !== '') this.#terminal.write(`\u001B[?2026h${text}\u001B[?2026l`);
  }

  /** Call before the first frame after a resize: the terminal has moved its contents. */
  resized(): void {
    const { columns } = this.#terminal;
    const tall = (width: number): number => (this.#reflows && columns < this.#columns ? rowsOf(width, columns) : 1);
    const above = this.#shown.slice(0, this.#at.row).reduce((sum, row) => sum + tall(drawnColumns(row)), 0);
    const before = tall((this.#at.column ?? 0) + 1) - 1;
    this.#columns = columns;
    this.#shown = [];
    this.#at = { row: 0, column: 0 };
    this.#terminal.write(`${above + before > 0 ? `\u001B[${above + before}A` : ''}\r\u001B[J`);
  }

  /** Another program used the terminal: the live part is drawn below its output. */
  forget(): void {
    this.#shown = [];
    this.#at = anywhere;
    this.#columns = this.#terminal.columns;
    this.#hasCursor = true;
  }

  /** Erases the live part, prints the remaining rows, and leaves the cursor at the beginning of a line. */
  end(finished: readonly string[]): void {
    this.show(finished, noFrame);
    this.#terminal.write(this.#hasCursor ? '' : '\u001B[?25h');
    this.forget();
  }

  #changes(rows: readonly string[], live: Frame, from: number): string {
    const { columns, rows: height } = this.#terminal;
    const pen = new RowPen(this.#at, { part: 'live', rows: this.#shown.length, columns });
    repaintScreenRows(pen, this.#shown, { rows, height });
    const { cursor } = live;
    // Without a live part the cursor is below the printed rows.
    const place = cursor ?? { row: Math.max(0, live.rows.length - 1), column: 0 };
    pen.goTo(place.row + from, place.column);
    this.#at = place;
    const hasCursor = cursor !== undefined;
    const sight = cursorVisibility(this.#hasCursor, hasCursor);
    this.#hasCursor = hasCursor;
    return pen.text + sight;
  }
}

const rowsOf = (width: number, columns: number): number => Math.max(1, Math.ceil(width / Math.max(1, columns)));
