import type { SessionEnd, SessionFate } from '../ports/sessions.ts';
import type { Pauses, ProcessOutput, RunningCommand } from '../ports/spawn.ts';
import { defined } from '../protocol/defined.ts';
import { createOutputBuffer } from './output-buffer.ts';
import type { SessionLog } from './session-log.ts';
import type { Stopwatch } from './stopwatch.ts';
import { startTimeLimit } from './time-limit.ts';

/** Output that is held: the first half of it and the last. */
const heldBytes = 1024 * 1024;
/** A command that said something and says no more for so long waits for something. */
const quietMs = 250;
const newline = 10;

/** What is waited for besides the end: any output, or a line that looks as if it asked for an answer. */
export type Quiet = 'any' | 'prompt' | 'never';

export interface WaitOptions {
  readonly milliseconds: number;
  readonly quiet: Quiet;
  readonly pauses?: Pauses;
  readonly signal: AbortSignal;
}

/** A command that was started for a thread, with what it said and was not given to anyone yet. */
export class LiveSession {
  #command: RunningCommand | undefined;
  readonly #watch: Stopwatch;
  readonly #whole = createOutputBuffer(heldBytes);
  readonly #listeners = new Set<() => void>();
  #unread = createOutputBuffer(heldBytes);
  #unreadBytes = 0;
  #lastByte = newline;
  #log: SessionLog | undefined;
  #fate: SessionFate | undefined;
  #end: SessionEnd | undefined;
  #busy: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #ending = Promise.withResolvers<SessionEnd>();
  readonly ended: Promise<SessionEnd>;
  /** Counted by the table: the larger, the later. */
  lastUse = 0;

  constructor(watch: Stopwatch) {
    this.#watch = watch;
    this.ended = this.#ending.promise;
  }

  /** It was started. */
  runs(command: RunningCommand): void {
    this.#command = command;
    void this.#follow(command);
  }

  async #follow({ exited, over }: RunningCommand): Promise<void> {
    await over;
    this.#settle(await exited);
  }

  /** A process that was killed has no exit code of its own. */
  #settle(exitCode?: number): void {
    if (this.#end !== undefined) return;
    const told = { output: this.#whole.result(), durationMs: this.elapsed() };
    const how = this.#fate === undefined ? { fate: 'exited' as const, ...defined({ exitCode }) } : { fate: this.#fate };
    this.#end = { ...how, ...told };
    this.#watch.end();
    this.#log?.end();
    this.#ending.resolve(this.#end);
    this.#wake();
  }

  /** Undefined: it runs. */
  get end(): SessionEnd | undefined {
    return this.#end;
  }

  get log(): string | undefined {
    return this.#log?.path;
  }

  /** A call reads or writes it now. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  hear(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#whole.add(bytes);
    this.#unread.add(bytes);
    this.#log?.add(bytes);
    this.#unreadBytes += bytes.length;
    this.#lastByte = bytes.at(-1) as number;
    this.#wake();
  }

  /** From here on its output is kept in the file, with what it said before as far as that is held. */
  keepIn(log: SessionLog | undefined): void {
    if (this.#end !== undefined) return log?.end();
    this.#log = log;
    log?.add(new TextEncoder().encode(this.#whole.result().text));
  }

  /** Ends the process. The first reason counts. */
  async kill(fate: SessionFate): Promise<void> {
    this.#fate ??= fate;
    await this.#command?.end();
    // Also where a process survives this: nothing more comes from it.
    this.#settle();
  }

  limit(milliseconds: number, pauses: Pauses | undefined): void {
    const stop = startTimeLimit(milliseconds, pauses, () => void this.kill('timed-out'));
    void this.ended.then(stop);
  }

  write(text: string): boolean {
    return this.#command?.write(new TextEncoder().encode(text)) === true;
  }

  closeInput(): void {
    this.#command?.closeInput();
  }

  interrupt(): void {
    this.#command?.interrupt();
  }

  resize(...size: Parameters<RunningCommand['resize']>): void {
    this.#command?.resize(...size);
  }

  unref(): void {
    this.#command?.unref();
  }

  elapsed(): number {
    return this.#watch.elapsed();
  }

  said(): ProcessOutput {
    return this.#whole.result();
  }

  /** What it said since this was last called. */
  read(): ProcessOutput {
    const output = this.#unread.result();
    this.#unread = createOutputBuffer(heldBytes);
    this.#unreadBytes = 0;
    return output;
  }

  /** One after the other. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    const result = this.#busy.then(work);
    this.#busy = result.catch(() => {});
    return result.finally(() => (this.#waiting -= 1));
  }

  /** Until it has ended, is quiet, has had its time, or the signal aborts. */
  wait({ milliseconds, quiet, pauses, signal }: WaitOptions): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = quiet === 'any' ? 0 : this.#unreadBytes;
    const outer = AbortSignal.any([signal]);
    let timer: NodeJS.Timeout | undefined;
    const isAsking = (): boolean => {
      if (this.#unreadBytes <= before || quiet === 'never') return false;
      return quiet === 'any' || this.#lastByte !== newline;
    };
    const look = (): void => {
      clearTimeout(timer);
      if (this.#end !== undefined || outer.aborted) resolve();
      else if (isAsking()) timer = setTimeout(resolve, quietMs);
    };
    const stop = startTimeLimit(milliseconds, pauses, resolve);
    this.#listeners.add(look);
    outer.addEventListener('abort', look);
    look();
    return promise.finally(() => {
      stop();
      clearTimeout(timer);
      this.#listeners.delete(look);
      outer.removeEventListener('abort', look);
    });
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }
}
