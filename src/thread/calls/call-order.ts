/** A call among those of its step, from when it is about to have an effect. */
export interface PlaceInOrder {
  /** Resolves when its turn has come. Undefined: it has. */
  readonly before: Promise<void> | undefined;
  /** For another try: it runs alone from now on. Resolves when no other call runs. */
  alone(): Promise<void>;
  /** It is over. */
  leave(): void;
}

interface Begun {
  alone: boolean;
  readonly over: PromiseWithResolvers<void>;
  /** Resolves when it does not run any more, for good or until it is alone. Absent: it waits. */
  running?: PromiseWithResolvers<void> | undefined;
}

/** The calls of one step run side by side, except those that run alone: these wait for all before them, and all after them wait. */
export class CallOrder {
  readonly #begun = new Set<Begun>();

  begin(alone: boolean): PlaceInOrder {
    const before = [...this.#begun].filter((other) => alone || other.alone).map(({ over }) => over.promise);
    const own: Begun = { alone, over: Promise.withResolvers() };
    this.#begun.add(own);
    if (before.length === 0) own.running = Promise.withResolvers();
    return {
      before: before.length === 0 ? undefined : Promise.all(before).then(() => this.#run(own)),
      alone: () => {
        own.alone = true;
        // Two that want to be alone must not wait for each other.
        own.running?.resolve();
        own.running = undefined;
        return this.#run(own);
      },
      leave: () => {
        this.#begun.delete(own);
        own.running?.resolve();
        own.over.resolve();
      },
    };
  }

  /** Those that wait are no hindrance: they look again before they run. */
  async #run(own: Begun): Promise<void> {
    for (;;) {
      const others = [...this.#begun].filter((other) => other !== own && (own.alone || other.alone));
      const running = others.flatMap((other) => other.running?.promise ?? []);
      if (running.length === 0) break;
      await Promise.all(running);
    }
    own.running = Promise.withResolvers();
  }
}
