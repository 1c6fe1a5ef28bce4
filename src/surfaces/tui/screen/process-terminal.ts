import { marksPastes } from '../composer/paste-burst.ts';
import { InputReader } from './input-reader.ts';
import type { TerminalListener, TerminalPort } from './terminal-port.ts';

/** A paste is marked, focus is reported, keys with modifiers are told apart; then the colour of the background is asked. */
const modesOn = '\u001B[?2004h\u001B[?1004h\u001B[>1u';
const askBackground = '\u001B]11;?\u0007';
/** All of it back, and what a screen may have set: also after a crash in the middle of a frame. */
const modesOff = '\u001B[?2026l\u001B[<u\u001B[?1004l\u001B[?2004l\u001B[?1006l\u001B[?1000l\u001B[0m\u001B[?25h';

/** The terminal that the process was started on. */
export class ProcessTerminal implements TerminalPort {
  readonly marksPastes = marksPastes(process.env);
  readonly #reader: InputReader;
  #listener: TerminalListener | undefined;
  #isRaw = false;
  #isFull = false;
  /** The cursor has a shape of ours. */
  #isShaped = false;
  /** Nothing was read since the keyboard was taken. */
  #isFresh = true;
  #writeToStderr: typeof process.stderr.write | undefined;
  /** What parts of the program wrote to standard error meanwhile. */
  #stray = '';

  constructor() {
    this.#reader = new InputReader((input) => this.#listener?.input(input));
  }

  get columns(): number {
    return Math.max(1, process.stdout.columns || 80);
  }

  get rows(): number {
    return Math.max(1, process.stdout.rows || 24);
  }

  write(text: string): void {
    if (text === '') return;
    if (text.includes('\u001B[?1049h')) this.#isFull = true;
    if (text.includes('\u001B[?1049l')) this.#isFull = false;
    if (text.endsWith(' q')) this.#isShaped = !text.endsWith('\u001B[0 q');
    process.stdout.write(text);
  }

  start(listener: TerminalListener): void {
    this.#listener = listener;
    process.stdin.setEncoding('utf8').on('data', this.#onData);
    process.stdin.on('error', ignore);
    process.stdout.on('error', ignore).on('resize', this.#onResize);
    process.on('SIGCONT', this.#onContinue);
    process.on('exit', this.#restore);
    process.prependListener('uncaughtException', this.#restore);
    this.#takeStderr();
    this.#enter();
    this.write(askBackground);
  }

  stop(): void {
    this.#restore();
    process.stdin.off('data', this.#onData).pause();
    process.stdout.off('resize', this.#onResize);
    process.off('SIGCONT', this.#onContinue).off('exit', this.#restore).off('uncaughtException', this.#restore);
    this.#listener = undefined;
  }

  suspend(): void {
    if (process.platform === 'win32') return;
    this.#restore();
    // The whole job, as the terminal does it: a shell waits for all of its processes.
    process.kill(0, 'SIGTSTP');
  }

  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#restore();
    process.stdin.pause();
    try {
      return await work();
    } finally {
      this.#reader.clear();
      this.#enter();
    }
  }

  /** Lines that were typed before the keyboard was taken come first, and end with what the terminal made of Enter. */
  readonly #onData = (text: string): void => {
    const isTypedBefore = this.#isFresh && /[^\n]\n/.test(text);
    this.#isFresh = false;
    this.#reader.feed(isTypedBefore ? text.replaceAll('\n', '\r') : text);
  };
  readonly #onResize = (): void => this.#listener?.resize();
  readonly #onContinue = (): void => {
    this.#enter();
    this.#listener?.resumed();
  };

  #enter(): void {
    this.#takeStderr();
    process.stdin.setRawMode(true);
    process.stdin.resume();
    this.#isRaw = true;
    this.#isFresh = true;
    this.write(modesOn);
  }

  /** Also called when the process ends: only what is done at once counts then. */
  readonly #restore = (): void => {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    try {
      // Not imported: see `openTui`.
      process
        .getBuiltinModule('node:fs')
        .writeSync(1, `${modesOff}${this.#isFull ? '\u001B[?1049l' : ''}${this.#isShaped ? '\u001B[0 q' : ''}`);
      process.stdin.setRawMode(false);
    } catch {
      // The terminal has gone.
    }
    this.#isFull = false;
    this.#isShaped = false;
    this.#giveStderrBack();
  };

  /** A line of another part of the program would stand in the middle of the screen: it is shown at the end. */
  #takeStderr(): void {
    if (this.#writeToStderr !== undefined) return;
    this.#writeToStderr = process.stderr.write;
    process.stderr.write = (text: string | Uint8Array) => {
      if (this.#stray.length < 64 * 1024) this.#stray += typeof text === 'string' ? text : Buffer.from(text).toString();
      return true;
    };
  }

  #giveStderrBack(): void {
    if (this.#writeToStderr === undefined) return;
    process.stderr.write = this.#writeToStderr;
    this.#writeToStderr = undefined;
    const shown = this.#stray.replaceAll(/[^\P{Cc}\n\t]/gu, '');
    this.#stray = '';
    if (shown !== '') process.stderr.write(shown);
  }
}

function ignore(): void {
  // A terminal that has gone: SIGHUP ends the process.
}
