import { addWaits, runAsWork, waitsForCaller } from './whole-works.ts';

/**
 * Orders the uses of one thread. Uses go on side by side; work on the thread as a whole runs alone: after the uses that
 * were asked for before it, and before all that are asked for after it. The order is that of the calls, without a gap
 * between a call and its place.
 */
export class ThreadGate {
  /** Settles when the newest work on the whole is over. */
  #closed: Promise<void> | undefined;
  readonly #entered = new Set<Promise<unknown>>();

  /**
   * Whether the caller is work on this thread as a whole that has not ended, or such work waits for the caller: waiting
   * for the gate, the caller would wait for itself.
   */
  get isInside(): boolean {
    return this.#closed !== undefined && waitsForCaller(this.#closed);
  }

  /** Whether nothing goes on or waits here. */
  get isEmpty(): boolean {
    return this.#closed === undefined && this.#entered.size === 0;
  }

  enter<Result>(use: () => Promise<Result>): Promise<Result> {
    if (this.#closed === undefined) return this.#counted(use());
    addWaits(this.#closed);
    return this.#counted(this.#closed.then(use));
  }

  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = [...this.#entered, this.#closed];
    const over = Promise.withResolvers<void>();
    const closed = over.promise;
    const run = runAsWork(closed, { after: this.#closed });
    this.#closed = closed;
    // The first to know: later callers cannot overtake those that waited.
    void closed.then(() => (this.#closed = this.#closed === closed ? undefined : this.#closed));
    return Promise.allSettled(before)
      .then(() => run(work))
      .finally(() => over.resolve());
  }

  /** Settles when the work on the whole that was asked for is over. */
  async opened(): Promise<void> {
    if (!this.isInside) await this.#closed;
  }

  /** Settles when the uses and the work that were asked for are over. */
  async quiet(): Promise<void> {
    await Promise.allSettled([...this.#entered, this.#closed]);
  }

  #counted<Result>(use: Promise<Result>): Promise<Result> {
    const leave = (): void => void this.#entered.delete(use);
    this.#entered.add(use);
    use.then(leave, leave);
    return use;
  }
}
