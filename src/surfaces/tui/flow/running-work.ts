import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import { thrownMessage } from '../../../protocol/display-text.ts';
import { Fault, fullText, type Outcome } from '../../../protocol/outcome.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';

/** What has come of work. Undefined: a fault has ended it. */
export type RunningWorkEnd = { readonly kind: string; readonly outcome?: Outcome } | undefined;

export interface RunningWorkParts {
  readonly stage: TuiScreen;
  thread(): LiveThread;
  now(): number;
  /** Shows why something was refused. */
  told(result: { readonly kind: string; readonly outcome?: Outcome }): void;
  /** A turn was cut off by a fault: its events have no end. */
  broken(): void;
  /** `isStopped`: the one who has stopped it says what follows. */
  ended(end: RunningWorkEnd, isStopped: boolean): void;
}

/** A turn or a compaction that was asked for and has not ended. */
interface AskedWork {
  isStopped: boolean;
}

/** Work that is no turn of the thread. */
interface BesideWork {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** What takes long, was asked for and has not ended. A row above the composer says so. */
export class RunningWork {
  readonly #parts: RunningWorkParts;
  readonly #works = new Set<AskedWork>();
  #beside: BesideWork | undefined;

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
    const work: AskedWork = { isStopped: false };
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

  /** The same for work that is no turn of the thread. It takes no words: they wait for its end. */
  async runBeside<Result extends { readonly kind: string }>(
    header: string,
    run: (signal: AbortSignal) => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused | undefined> {
    const stop = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const beside: BesideWork = { stop, ended };
    this.#beside = beside;
    try {
      return await this.run(header, () => run(stop.signal));
    } finally {
      if (this.#beside === beside) this.#beside = undefined;
      resolve();
    }
  }

  /** Ends what runs. `first`: what has to be done before, while it still runs. */
  async stop<Result>(first: () => Promise<Result>): Promise<Result> {
    const stopped = [...this.#works];
    for (const work of stopped) work.isStopped = true;
    const result = await first();
    await this.#interrupt();
    for (const work of stopped) work.isStopped = false;
    return result;
  }

  async #interrupt(): Promise<void> {
    const beside = this.#beside;
    if (beside === undefined) {
      await this.#parts.thread().interrupt();
      return;
    }
    beside.stop.abort();
    await beside.ended;
  }
}

/** Nothing that goes wrong with one wish ends the terminal: the user reads it, and goes on. */
export async function reportWorkErrors(
  work: Promise<unknown>,
  notice: (text: string, level: 'error') => void,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    const text = error instanceof Fault ? fullText({ message: error.message, next: error.next }) : thrownMessage(error);
    notice(text, 'error');
  }
}
