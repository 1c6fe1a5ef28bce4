import { valueOrAbort } from '../../../protocol/abort.ts';

export interface KeyInput {
  setRawMode(raw: boolean): unknown;
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface KeyboardParts {
  readonly input: KeyInput;
  /** Does what Ctrl-C does elsewhere: in raw mode it is an ordinary key. */
  interrupt(): void;
  /** Stops the program, as Ctrl-Z does elsewhere. Resolves when it continues. Absent: it cannot be stopped here. */
  readonly suspend?: () => Promise<void>;
  now(): number;
  /** Resolves after this time, when everything typed by then has been read, or soon after the signal aborts. */
  after(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const ctrlC = '\u0003';
const ctrlZ = '\u001A';
/** Keys that come faster are one burst: a paste, an arrow sequence, or a program that types. */
const burstMs = 50;

/** Keys typed while the keyboard is open. `silence` drops earlier and unused ones. */
export class Keyboard {
  readonly #parts: KeyboardParts;
  readonly #interrupted = new AbortController();
  readonly interrupted = this.#interrupted.signal;
  #decoder = new TextDecoder();
  #typed = '';
  lastKeyAt = Number.NEGATIVE_INFINITY;
  #arrival = Promise.withResolvers<void>();
  #isOpen = false;
  readonly #resumed: () => void;

  /** `resumed`: called when the stopped program continues; what was on the screen may be gone. */
  constructor(parts: KeyboardParts, resumed: () => void) {
    this.#parts = parts;
    this.#resumed = resumed;
  }

  open(): void {
    const { input } = this.#parts;
    this.#decoder = new TextDecoder();
    this.#typed = '';
    this.#isOpen = true;
    input.on('data', this.#onData);
    input.setRawMode(true);
    input.resume();
  }

  close(): void {
    const { input } = this.#parts;
    this.#isOpen = false;
    input.off('data', this.#onData);
    input.setRawMode(false);
    input.pause();
  }

  /** Reads whole lines, which the terminal echoes and lets the person edit, instead of keys. */
  takeLines(isLines: boolean): void {
    this.#parts.input.setRawMode(!isLines);
  }

  /** Drops keys until none has come for this time, counted from `since` or later. True if there were any. */
  async silence(
    milliseconds: number,
    signal: AbortSignal,
    { since = this.#parts.now() }: { readonly since?: number } = {},
  ): Promise<boolean> {
    await this.#quiet(milliseconds, signal, since);
    return this.#take() !== '';
  }

  /** The next keys and all that follow without a pause. Empty when the signal aborts. */
  async burst(signal: AbortSignal): Promise<string> {
    await this.#key(signal);
    await this.#quiet(burstMs, signal, this.lastKeyAt);
    return signal.aborted ? '' : this.#take();
  }

  /** The next keys, as soon as there are any. Empty when the signal aborts. */
  async next(signal: AbortSignal): Promise<string> {
    await this.#key(signal);
    return signal.aborted ? '' : this.#take();
  }

  async #quiet(milliseconds: number, signal: AbortSignal, since: number): Promise<void> {
    while (!signal.aborted) {
      const from = Math.max(since, this.lastKeyAt);
      await this.#parts.after(Math.max(0, from + milliseconds - this.#parts.now()), signal);
      if (this.lastKeyAt <= from) return;
    }
  }

  async #key(signal: AbortSignal): Promise<void> {
    while (this.#typed === '' && !signal.aborted) await valueOrAbort(this.#arrival.promise, signal, undefined);
  }

  #take(): string {
    const typed = this.#typed;
    this.#typed = '';
    return typed;
  }

  async #suspend(suspend: () => Promise<void>): Promise<void> {
    this.#parts.input.setRawMode(false);
    await suspend();
    if (!this.#isOpen) return;
    this.#parts.input.setRawMode(true);
    this.#resumed();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    if (text === '') return;
    if (text.includes(ctrlC)) {
      this.#typed = '';
      this.#interrupted.abort();
      return this.#parts.interrupt();
    }
    if (text.includes(ctrlZ) && this.#parts.suspend !== undefined) {
      this.#typed = '';
      return void this.#suspend(this.#parts.suspend);
    }
    this.#typed += text;
    this.lastKeyAt = this.#parts.now();
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
  };
}
