import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import { thrownMessage } from '../../../protocol/display-text.ts';
import { Fault, fullText, type Outcome } from '../../../protocol/outcome.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';

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
    await this.#interrupt();
    for (const work of stopped) work.isStopped = false;
    return result;
  }

  async #interrupt(): Promise<void> {
    this.#beside?.stop.abort();
    await (this.#beside?.ended ?? this.#parts.thread().interrupt());
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
    notice(error instanceof Fault ? fullText(error) : thrownMessage(error), 'error');
  }
}
