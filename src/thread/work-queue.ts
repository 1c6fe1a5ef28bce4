/** The turns and compactions of one thread: one after the other, in the order in which they were submitted. */
export class WorkQueue {
  /** Settles when all that was added so far is over. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #holds = 0;

  /** Whether what is submitted now has to wait. */
  get isBusy(): boolean {
    return this.#holds > 0;
  }

  /** Does the work when all that was added before it is over, with what is known by then. */
  add<Known, Result>(known: Promise<Known>, work: (known: Known) => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const result = Promise.all([known, before] as const).then(([value]) => work(value));
    this.#last = Promise.allSettled([before, result]).then(() => undefined);
    return result;
  }

  /** The same. What is submitted until it is over has to wait. */
  submit<Known, Result>(known: Promise<Known>, work: (known: Known) => Promise<Result>): Promise<Result> {
    const release = this.hold();
    const result = this.add(known, work);
    result.then(release, release);
    return result;
  }

  /** What is submitted has to wait until the function that it gives is called. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
    };
  }
}
