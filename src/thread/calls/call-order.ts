/** The calls of one step run side by side, except those that run alone: these wait for all before them, and all after them wait. */
export class CallOrder {
  readonly #begun = new Set<{ readonly alone: boolean; readonly over: Promise<void> }>();

  /** A call is about to have an effect. It waits for `before`; when it is over, it leaves. */
  begin(alone: boolean): { readonly before: readonly Promise<void>[]; leave(): void } {
    const before = [...this.#begun].filter((other) => alone || other.alone).map(({ over }) => over);
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = { alone, over: promise };
    this.#begun.add(own);
    const leave = (): void => {
      this.#begun.delete(own);
      resolve();
    };
    return { before, leave };
  }
}
