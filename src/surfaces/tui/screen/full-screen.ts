import { cursorSight } from './cursor-sight.ts';
import type { Frame } from './frame.ts';
import { wholeRow } from './row-change.ts';
import { type PenPlace, RowPen } from './row-pen.ts';
import type { TerminalPort } from './terminal-port.ts';
import { writeRows } from './write-rows.ts';

const anywhere: PenPlace = { row: 0, column: undefined };

/** The whole screen, drawn by rows. The terminal keeps what stood there before, and shows it again at the end. */
export class FullScreen {
  readonly #terminal: Pick<TerminalPort, 'columns' | 'rows' | 'write'>;
  /** Undefined: anything may stand there. */
  #shown: readonly string[] | undefined;
  #at: PenPlace = anywhere;
  #hasCursor: boolean | undefined;

  constructor(terminal: Pick<TerminalPort, 'columns' | 'rows' | 'write'>) {
    this.#terminal = terminal;
  }

  begin(): void {
    // The wheel is reported as such: as arrow keys it would move the cursor of the composer.
    this.#terminal.write('\u001B[?1049h\u001B[?1000h\u001B[?1006h\u001B[2J');
    this.forget();
  }

  /** Nothing that was drawn is on the screen any more. */
  forget(): void {
    this.#shown = undefined;
    this.#at = anywhere;
    this.#hasCursor = undefined;
  }

  /** Only what changed is written, and rows that moved are moved. */
  show({ rows, cursor }: Frame): void {
    const { rows: height, columns } = this.#terminal;
    const next = Array.from({ length: height }, (_, at) => rows[at] ?? '');
    const pen = new RowPen(this.#at, { part: 'whole', rows: height, columns });
    if (this.#shown?.length === height) writeRows(pen, this.#shown, { rows: next, height });
    else for (const [at, row] of next.entries()) pen.change(at, wholeRow(row));
    const hasCursor = cursor !== undefined && cursor.row < height;
    if (hasCursor) pen.goTo(cursor.row, cursor.column);
    const sight = cursorSight(this.#hasCursor, hasCursor);
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
