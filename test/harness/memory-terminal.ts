import xterm from '@xterm/headless';
import { InputReader } from '../../src/surfaces/tui/screen/terminal/input-reader.ts';
import type { TerminalListener, TerminalPort } from '../../src/surfaces/tui/screen/terminal/terminal-port.ts';

/** A terminal in memory: what is written to it stands on a screen that tests can read. */
export class MemoryTerminal implements TerminalPort {
  /** False: what comes quickly is looked at more closely. */
  marksPastes = true;
  /** False: it has one screen, and ignores who asks for another, as GNU screen does. */
  keepsScreen = true;
  readonly #terminal: xterm.Terminal;
  readonly #reader = new InputReader((input) => this.#listener?.input(input));
  #listener: TerminalListener | undefined;
  /** All that was written, as it was written. */
  written = '';

  constructor(columns = 80, rows = 24) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  get isStarted(): boolean {
    return this.#listener !== undefined;
  }

  write(text: string): void {
    this.written += text;
    this.#terminal.write(this.keepsScreen ? text : text.replaceAll(/\u001B\[\?1049[hl]/g, ''));
  }

  start(listener: TerminalListener): void {
    this.#listener = listener;
  }

  stop(): void {
    this.#listener = undefined;
  }

  suspend(): void {
    this.#listener?.resumed();
  }

  lend<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  /** As a keyboard sends it. */
  type(text: string): void {
    this.#reader.feed(text);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#listener?.resize();
  }

  /** The rows in sight, without blanks at their ends. */
  async screen(): Promise<readonly string[]> {
    await this.#settled();
    const { baseY } = this.#terminal.buffer.active;
    return Array.from({ length: this.rows }, (_, at) => this.#line(baseY + at));
  }

  /** All rows, those above the screen first. */
  async all(): Promise<readonly string[]> {
    await this.#settled();
    return Array.from({ length: this.#terminal.buffer.active.length }, (_, at) => this.#line(at));
  }

  /** All rows with the style of each character, those above the screen first. */
  async drawn(): Promise<readonly string[]> {
    await this.#settled();
    return Array.from({ length: this.#terminal.buffer.active.length }, (_, at) => this.#drawnLine(at));
  }

  /** The terminal itself, once all that was written stands on it. */
  async settled(): Promise<xterm.Terminal> {
    await this.#settled();
    return this.#terminal;
  }

  get hasCursor(): boolean {
    return this.written.lastIndexOf('\u001B[?25h') >= this.written.lastIndexOf('\u001B[?25l');
  }

  async cursor(): Promise<{ readonly row: number; readonly column: number }> {
    await this.#settled();
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  #line(at: number): string {
    return this.#terminal.buffer.active.getLine(at)?.translateToString(true).trimEnd() ?? '';
  }

  #drawnLine(at: number): string {
    const line = this.#terminal.buffer.active.getLine(at);
    let drawn = line?.isWrapped === true ? '↩' : '';
    for (let column = 0; column < this.columns; column++) {
      const cell = line?.getCell(column);
      if (cell === undefined || (cell.getWidth() > 0 && cell.getChars() === '' && cell.isAttributeDefault())) continue;
      const flags = [cell.isBold(), cell.isDim(), cell.isInverse(), cell.isUnderline()].map((flag) => (flag ? 1 : 0));
      drawn += `${column}:${cell.getChars()}/${flags.join('')}/${cell.getFgColor()}/${cell.getBgColor()} `;
    }
    return drawn;
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => this.#terminal.write('', resolve));
  }
}
