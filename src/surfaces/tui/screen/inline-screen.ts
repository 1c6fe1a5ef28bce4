import { cursorSight } from './cursor-sight.ts';
import { fitFrame, type Frame, noFrame } from './frame.ts';
import { type PenPlace, RowPen } from './row-pen.ts';
import type { TerminalPort } from './terminal-port.ts';
import { writeRows } from './write-rows.ts';

export interface InlineOptions {
  readonly terminal: Pick<TerminalPort, 'columns' | 'rows' | 'write'>;
  /** Columns that a row takes. */
  readonly widthOf: (row: string) => number;
  /** Whether the terminal breaks rows anew when its width changes. Nearly all do. */
  readonly reflows: boolean;
}

/** Before the first frame: in the row where the live part begins. */
const somewhere: PenPlace = { row: 0, column: undefined };

/**
 * The screen as a shell has it: what is finished is printed once and belongs to the terminal from then on; below it is a
 * live part of at most a screen, of which only what changed is written, and rows that moved are moved. Nothing above the
 * live part is ever touched, so what the user had on the screen before stays.
 */
export class InlineScreen {
  readonly #options: InlineOptions;
  /** The live part as it stands on the terminal. */
  #shown: readonly string[] = [];
  /** The row of the live part in which the terminal has its cursor, and where in it. */
  #at: PenPlace = somewhere;
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
    const before = tall((this.#at.column ?? 0) + 1) - 1;
    this.#columns = columns;
    this.#shown = [];
    this.#at = { row: 0, column: 0 };
    terminal.write(`${above + before > 0 ? `\u001B[${above + before}A` : ''}\r\u001B[J`);
  }

  /** The terminal was used by another program: the live part is drawn below whatever stands there. */
  forget(): void {
    this.#shown = [];
    this.#at = somewhere;
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
    const { terminal } = this.#options;
    const pen = new RowPen(this.#at, { part: 'live', rows: this.#shown.length, columns: terminal.columns });
    writeRows(pen, this.#shown, { rows, height: terminal.rows });
    const cursor = live.cursor;
    // Without a live part the cursor stands below what was printed.
    const last = live.rows.length === 0 ? 0 : live.rows.length - 1;
    const place = { row: cursor?.row ?? last, column: cursor?.column ?? 0 };
    pen.goTo(place.row + from, place.column);
    this.#at = place;
    const hasCursor = cursor !== undefined;
    const sight = cursorSight(this.#hasCursor, hasCursor);
    this.#hasCursor = hasCursor;
    return pen.text + sight;
  }
}

function rowsOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / Math.max(1, columns)));
}
