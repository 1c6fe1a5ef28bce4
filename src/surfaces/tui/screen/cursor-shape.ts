import type { TerminalPort } from './terminal-port.ts';

const shapes = { insert: '\u001B[6 q', replace: '\u001B[4 q', normal: '\u001B[2 q' } as const;
/** The one that the user has set for the terminal. */
const usual = '\u001B[0 q';

/** The cursor is a bar where keys insert, a line where they type over, and a block where they are commands. Without Vim mode it stays as it is. */
export class CursorShape {
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
