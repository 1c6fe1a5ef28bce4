/** The place of a call among those of its step, taken when it is about to have an effect. */
export interface PlaceInOrder {
  /** Resolves when its turn has come. Undefined if it already has. */
  readonly before: Promise<unknown> | undefined;
  leave(): void;
}

type Begun = { readonly alone: boolean; readonly over: PromiseWithResolvers<void> };

/** The calls of one step run side by side; those that run alone wait for all before them, and all after them wait. */
export class CallOrder {
  readonly #begun = new Set<Begun>();

  begin(alone: boolean): PlaceInOrder {
    const before = [...this.#begun].filter((other) => alone || other.alone).map(({ over }) => over.promise);
    const own: Begun = { alone, over: Promise.withResolvers() };
    this.#begun.add(own);
    return {
      before: before.length === 0 ? undefined : Promise.all(before),
      leave: () => {
        this.#begun.delete(own);
        own.over.resolve();
      },
    };
  }
}

export interface PlaceInQuestionOrder {
  /** Resolves when no earlier call may still ask. */
  turn(): Promise<void>;
  /** Says that the call asks no more: it begins, or never will. Must be called at least once. */
  pass(): void;
}

/** The calls of one step ask the user one at a time, in their order. Calls that do not ask wait for none. */
export class QuestionOrder {
  #last: Promise<void> = Promise.resolve();

  next(): PlaceInQuestionOrder {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = Promise.all([before, promise]).then(() => undefined);
    return { turn: () => before, pass: resolve };
  }
}
