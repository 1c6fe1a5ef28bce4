import type { TurnId } from '../../../protocol/ids.ts';

/** What a client submitted and can interrupt. */
interface SubmittedWork {
  readonly stopping: AbortController;
  readonly over: Promise<unknown>;
  /** Of the turn that it became, once that has begun. */
  turnId: TurnId | undefined;
}

/** Turns and compactions that clients submitted to one thread, in the order in which they run. */
export class LiveWork {
  readonly #all = new Set<SubmittedWork>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Runs it until it is over, or until `interrupt` or the signal of the client ends it. */
  add<Result>(
    run: (signal: AbortSignal) => Promise<Result>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Result> {
    const stopping = new AbortController();
    const result = run(signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]));
    const over = result.then(
      () => this.#all.delete(work),
      () => this.#all.delete(work),
    );
    const work: SubmittedWork = { stopping, over, turnId: undefined };
    this.#all.add(work);
    return result;
  }

  /** The first of them has become a turn. */
  begun(turnId: TurnId): void {
    const [first] = this.#all;
    if (first !== undefined) first.turnId = turnId;
  }

  /** Ends the first of them. Resolves when it is over, with the turn that it became; undefined: with none. */
  async interrupt(): Promise<TurnId | undefined> {
    const [first] = this.#all;
    if (first === undefined) return undefined;
    first.stopping.abort('interrupted by the user');
    await first.over;
    return first.turnId;
  }
}
