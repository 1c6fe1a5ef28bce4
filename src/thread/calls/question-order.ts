/** When a call may ask, among those of its step. */
export interface QuestionTurn {
  /** Resolves when no call before it may still ask. */
  turn(): Promise<void>;
  /** The call asks no more: it begins, or will not. To be called once at least. */
  pass(): void;
}

/** The calls of one step ask the user one at a time, in their order. Calls that do not ask wait for none. */
export class QuestionOrder {
  #last: Promise<void> = Promise.resolve();

  next(): QuestionTurn {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = Promise.all([before, promise]).then(() => undefined);
    return { turn: () => before, pass: resolve };
  }
}
