import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import { messageOfThrown } from '../../../protocol/display-text.ts';
import { Fault, type Outcome, outcomeText } from '../../../protocol/outcome.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import type { EventEntries } from '../transcript/event-entries.ts';

export type RunningWorkEnd = { readonly kind: string; readonly outcome?: Outcome } | undefined;

export interface RunningWorkParts {
  readonly stage: TuiScreen;
  thread(): LiveThread;
  now(): number;
  told(result: NonNullable<RunningWorkEnd>): void;
  /** A fault cut off a turn: its end event will not come. */
  broken(): void;
  /** `isStopped`: the caller that stopped it decides what follows. */
  ended(end: RunningWorkEnd, isStopped: boolean): void;
}

/** Long work that was requested and has not ended. A row above the composer shows it. */
export class RunningWork {
  readonly #parts: RunningWorkParts;
  readonly #works = new Set<{ isStopped: boolean }>();
  #beside: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(parts: RunningWorkParts) {
    this.#parts = parts;
  }

  get isNone(): boolean {
    return this.#works.size === 0;
  }

  async run<Result extends { readonly kind: string }>(
    header: string,
    run: () => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused | undefined> {
    const { stage, now, told, broken, ended } = this.#parts;
    const work = { isStopped: false };
    this.#works.add(work);
    stage.busy ??= { header, since: now() };
    let result: Result | EngineRefused | undefined;
    try {
      result = await run();
      if (result.kind === 'refused' && 'outcome' in result) told(result);
      return result;
    } catch (error) {
      broken();
      throw error;
    } finally {
      this.#works.delete(work);
      if (this.isNone) stage.busy = undefined;
      ended(result, work.isStopped);
    }
  }

  /** Runs work that is no turn of the thread. Messages wait for its end. */
  async runBeside<Result extends { readonly kind: string }>(
    header: string,
    run: (signal: AbortSignal) => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused | undefined> {
    const stop = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const beside = { stop, ended };
    this.#beside = beside;
    try {
      return await this.run(header, () => run(stop.signal));
    } finally {
      if (this.#beside === beside) this.#beside = undefined;
      resolve();
    }
  }

  /** Stops the running work. `first` runs before that, while the work still runs. */
  async stop<Result>(first: () => Promise<Result>): Promise<Result> {
    const stopped = [...this.#works];
    for (const work of stopped) work.isStopped = true;
    const result = await first();
    const beside = this.#beside;
    beside?.stop.abort();
    await (beside?.ended ?? this.#parts.thread().interrupt());
    for (const work of stopped) work.isStopped = false;
    return result;
  }
}

/** Reports errors of one request, so that none ends the terminal. */
export async function reportWorkErrors(
  work: Promise<unknown>,
  notice: (text: string, level: 'error') => void,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    notice(error instanceof Fault ? outcomeText(error) : messageOfThrown(error), 'error');
  }
}

export interface ShellParts extends Pick<RunningWorkParts, 'stage' | 'thread' | 'now' | 'told'> {
  readonly entries: EventEntries;
}

interface RunningShell {
  readonly command: string;
  readonly since: number;
  readonly stop: AbortController;
  output(): string;
}

/** Commands that the user runs with `!`. The newest is shown above the composer, and Esc ends it first. */
export class UserShells {
  readonly #parts: ShellParts;
  #running: readonly RunningShell[] = [];

  constructor(parts: ShellParts) {
    this.#parts = parts;
  }

  /** Without those that are being stopped. */
  get running(): readonly RunningShell[] {
    return this.#running.filter(({ stop }) => !stop.signal.aborted);
  }

  async run(command: string): Promise<void> {
    const { stage, entries, thread, now, told } = this.#parts;
    const stop = new AbortController();
    const since = now();
    // A character may arrive in parts.
    const decoder = new TextDecoder();
    const shown = entries.shell(command, since);
    const shell: RunningShell = { command, since, stop, output: () => shown.printed() };
    this.#set([...this.#running, shell]);
    try {
      const ran = await thread().shell({
        command,
        signal: stop.signal,
        recordedAs: (id) => entries.ranHere(id),
        output: (bytes) => {
          shown.output(decoder.decode(bytes, { stream: true }));
          stage.draw();
        },
      });
      if (ran.kind === 'refused') told(ran);
      shown.end(ran.kind === 'ran' ? { ...ran, isInterrupted: stop.signal.aborted } : undefined);
    } catch (error) {
      // The caller shows the reason.
      shown.lost();
      throw error;
    } finally {
      this.#set(this.#running.filter((each) => each !== shell));
    }
  }

  /** Ends the newest. False: none runs. */
  stopNewest(): boolean {
    const newest = this.#running.at(-1);
    newest?.stop.abort();
    return newest !== undefined;
  }

  stopAll(): number {
    const { running } = this;
    for (const { stop } of running) stop.abort();
    return running.length;
  }

  #set(running: readonly RunningShell[]): void {
    const { stage } = this.#parts;
    this.#running = running;
    const newest = running.at(-1);
    stage.shell = newest && { header: 'Running your command', since: newest.since, isCommand: true };
  }
}
