import { AsyncLocalStorage } from 'node:async_hooks';

/** The works on a thread as a whole that the running code is part of, each as the promise of its end. */
const worksOfCaller = new AsyncLocalStorage<ReadonlySet<Promise<void>>>();

/** Which works a work waits for: those before it, and those that it uses or asks for on other threads. */
const waitsOf = new WeakMap<Promise<void>, Set<Promise<void>>>();

function addWait(work: Promise<void>, other: Promise<void>): void {
  const waits = waitsOf.get(work) ?? new Set();
  waitsOf.set(work, waits.add(other));
  void other.then(() => waits.delete(other));
}

/** Whether one of `ends` must be over before the work is, itself included. */
function waitsFor(work: Promise<void>, ends: ReadonlySet<Promise<void>>, seen = new Set<Promise<void>>()): boolean {
  if (ends.has(work)) return true;
  if (seen.has(work)) return false;
  seen.add(work);
  return [...(waitsOf.get(work) ?? [])].some((other) => waitsFor(other, ends, seen));
}

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
    const works = worksOfCaller.getStore();
    return works !== undefined && this.#closed !== undefined && waitsFor(this.#closed, works);
  }

  /** Whether nothing goes on or waits here. */
  get isEmpty(): boolean {
    return this.#closed === undefined && this.#entered.size === 0;
  }

  enter<Result>(use: () => Promise<Result>): Promise<Result> {
    if (this.#closed === undefined) return this.#counted(use());
    for (const work of worksOfCaller.getStore() ?? []) addWait(work, this.#closed);
    return this.#counted(this.#closed.then(use));
  }

  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = [...this.#entered, this.#closed];
    const over = Promise.withResolvers<void>();
    const closed = over.promise;
    if (this.#closed !== undefined) addWait(closed, this.#closed);
    for (const work of worksOfCaller.getStore() ?? []) addWait(work, closed);
    this.#closed = closed;
    // The first to know: later callers cannot overtake those that waited.
    void closed.then(() => (this.#closed = this.#closed === closed ? undefined : this.#closed));
    const works = new Set([...(worksOfCaller.getStore() ?? []), closed]);
    return Promise.allSettled(before)
      .then(() => worksOfCaller.run(works, work))
      .finally(() => over.resolve());
  }

  /** Settles when the work on the whole that was asked for is over. */
  async opened(): Promise<void> {
    if (!this.isInside) await this.#closed;
  }

  #counted<Result>(use: Promise<Result>): Promise<Result> {
    const leave = (): void => void this.#entered.delete(use);
    this.#entered.add(use);
    use.then(leave, leave);
    return use;
  }
}
