import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { spawn, type IPty } from '@lydell/node-pty';
import { monotonicMs } from '../model/piece.ts';
import type { Command } from '../process/command.ts';
import { cpuSecondsIn } from '../process/read-usage.ts';

export const escapes = /\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\u001B[[?>=<]?[\d;:?<>=]*[ -/]*[@-~]/g;

export const terminalColumns = 100;
const terminalRows = 40;

/** A program on a terminal of its own, and all that it has written. */
export class PtyProgram {
  readonly startedAt = monotonicMs();
  readonly #pty: IPty;
  readonly #exited: Promise<void>;
  /** As it was written, and as it can be read. */
  written = '';
  #read = '';
  #writtenAt = this.startedAt;
  #waiting: { readonly test: () => boolean; readonly found: (at: number) => void }[] = [];

  constructor({ program, arguments: words, env, cwd }: Command) {
    const variables = { ...env, TERM: 'xterm-256color', COLORTERM: 'truecolor' };
    this.#pty = spawn(program, [...words], { cols: terminalColumns, rows: terminalRows, cwd, env: variables });
    this.#exited = new Promise((over) => this.#pty.onExit(() => over()));
    this.#pty.onData((text) => {
      this.written += text;
      this.#read += text.replaceAll(escapes, '');
      const at = monotonicMs();
      this.#writtenAt = at;
      // A terminal that answers nothing is waited for by some programs.
      if (text.includes('\u001B[6n')) this.#pty.write('\u001B[1;1R');
      if (text.includes('\u001B[c')) this.#pty.write('\u001B[?62;22c');
      this.#waiting = this.#waiting.filter(({ test, found }) => {
        if (!test()) return true;
        found(at);
        return false;
      });
    });
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  has(words: string, from: number): boolean {
    return this.#read.includes(words, from);
  }

  /** When the words were there that were not there before. */
  async sees(words: string, { from = 0, withinMs = 60_000 } = {}): Promise<number> {
    const test = (): boolean => this.has(words, from);
    if (test()) return monotonicMs();
    const found = new Promise<number>((at) => this.#waiting.push({ test, found: at }));
    const late = new Promise<never>((_, fail) =>
      setTimeout(
        () => fail(new Error(`never saw ${JSON.stringify(words)}: …${this.#read.slice(-600)}`)),
        withinMs,
      ).unref(),
    );
    return Promise.race([found, late]);
  }

  /** The length of the readable text so far. */
  get mark(): number {
    return this.#read.length;
  }

  /** From a key to its letter on the screen. */
  async echo(letter: string): Promise<number> {
    const from = this.mark;
    const pressed = monotonicMs();
    this.type(letter);
    return (await this.sees(letter, { from, withinMs: 5000 })) - pressed;
  }

  /** From a change of the size to the last byte that follows it, before a silence. */
  async resize(columns: number, silenceMs: number): Promise<number> {
    const from = this.written.length;
    const changed = monotonicMs();
    this.#pty.resize(columns, terminalRows);
    while (this.written.length === from || monotonicMs() - this.#writtenAt < silenceMs) {
      if (monotonicMs() - changed > 30_000) throw new Error('no stable screen after a change of the size');
      await pause(10);
    }
    return this.#writtenAt - changed;
  }

  get cpuSeconds(): number {
    return cpuSecondsIn(readFileSync(`/proc/${this.#pty.pid}/stat`, 'utf8'));
  }

  get residentMegabytes(): number {
    const status = readFileSync(`/proc/${this.#pty.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1000;
  }

  async end(): Promise<void> {
    this.#pty.kill('SIGKILL');
    await this.#exited;
  }
}
