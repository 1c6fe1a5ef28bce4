import type { TurnId } from '../../../protocol/ids.ts';

/** A turn or a compaction of one client. */
export interface SubmittedWork {
  /** Ends this one alone. */
  readonly signal: AbortSignal;
  /** To be called when the thread is given it: the thread runs its work in this order. */
  handOver(): void;
}

interface KnownWork {
  readonly stopping: AbortController;
  /** Whether it was aborted, when it is over. */
  over: Promise<boolean>;
  /** Of the turn that it became, once that has begun. */
  turnId: TurnId | undefined;
}

/** Why a turn ends that `interrupt` ends. */
export const interruptedByUser = 'interrupted by the user';

/** Turns and compactions that clients submitted to one thread. */
export class LiveWork {
  /** In the order of the calls: some still wait for the thread. */
  readonly #all = new Set<KnownWork>();
  /** In the order in which the thread runs them. */
  readonly #given = new Set<KnownWork>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Runs it until it is over, or until `interrupt` or the signal of the client ends it. */
  add<Result extends { readonly kind: string }>(
    run: (work: SubmittedWork) => Promise<Result>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Result> {
    const stopping = new AbortController();
    const known: KnownWork = { stopping, over: Promise.resolve(false), turnId: undefined };
    this.#all.add(known);
    const stop = (): void => stopping.abort(signal?.reason);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop);
    const result = run({ signal: stopping.signal, handOver: () => void this.#given.add(known) });
    const isOver = (ended?: Result): boolean => {
      signal?.removeEventListener('abort', stop);
      this.#all.delete(known);
      this.#given.delete(known);
      return ended?.kind === 'aborted';
    };
    known.over = result.then(isOver, () => isOver());
    return result;
  }

  /** The first that the thread was given has become a turn. */
  begun(turnId: TurnId): void {
    const [first] = this.#given;
    if (first !== undefined) first.turnId = turnId;
  }

  /**
   * Ends what the thread runs; if it has been given nothing yet, what it is given first. Resolves when that is over, with
   * the turn that it became; undefined: it became none, or ended by itself before.
   */
  async interrupt(reason: unknown = interruptedByUser): Promise<TurnId | undefined> {
    const [first] = this.#given.size > 0 ? this.#given : this.#all;
    if (first === undefined) return undefined;
    first.stopping.abort(reason);
    return (await first.over) ? first.turnId : undefined;
  }
}
