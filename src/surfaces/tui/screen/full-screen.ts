import type { Frame } from './frame.ts';
import type { TerminalPort } from './terminal-port.ts';

/** The whole screen, drawn by rows. The terminal keeps what stood there before, and shows it again at the end. */
export class FullScreen {
  readonly #terminal: Pick<TerminalPort, 'columns' | 'rows' | 'write'>;
  #shown: readonly string[] = [];
  #cursor = '';

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
    this.#shown = [];
    this.#cursor = '';
  }

  /** Only rows that changed are written. */
  show({ rows, cursor }: Frame): void {
    const height = this.#terminal.rows;
    const next = Array.from({ length: height }, (_, at) => rows[at] ?? '');
    const changed = next.flatMap((row, at) => (this.#shown[at] === row ? [] : [`\u001B[${at + 1};1H\u001B[2K${row}`]));
    const place =
      cursor === undefined || cursor.row >= height
        ? '\u001B[?25l'
        : `\u001B[${cursor.row + 1};${cursor.column + 1}H\u001B[?25h`;
    if (changed.length === 0 && place === this.#cursor) return;
    this.#terminal.write(`\u001B[?2026h${changed.join('')}${place}\u001B[?2026l`);
    this.#shown = next;
    this.#cursor = place;
  }

  end(): void {
    // After a resize, tmux would move a row of it into the scrollback.
    this.#terminal.write('\u001B[H\u001B[J\u001B[?1006l\u001B[?1000l\u001B[?1049l\u001B[?25h');
    this.forget();
  }
}
