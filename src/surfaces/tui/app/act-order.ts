import type { Draft } from '../composer/draft.ts';

/** Something that the user asked for. Its promise is settled when it has taken effect. */
type Act = () => Promise<unknown>;

interface LaterAct {
  readonly act: Act;
  /** What it would be in the composer. */
  readonly draft: Draft;
}

/**
 * What the user asks for, in that order. A command may have to be loaded, and a picture to be read: what the user asks
 * for meanwhile begins when that has taken effect, and can be taken back until then.
 */
export class ActOrder {
  /** There are more or fewer that wait. */
  readonly #changed: () => void;
  readonly #begun = new Set<Act>();
  #later: readonly LaterAct[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get later(): readonly Draft[] {
    return this.#later.map(({ draft }) => draft);
  }

  /** Now, or as soon as what came before has taken effect. */
  do(draft: Draft, act: Act): void {
    if (this.#begun.size === 0) return this.#begin(act);
    this.#later = [...this.#later, { act, draft }];
    this.#changed();
  }

  /** This was begun elsewhere, and comes before what the user asks for next. */
  during(work: Promise<unknown>): void {
    this.#begin(() => work);
  }

  /** What has begun shows itself, though it goes on: what the user asks for from now on is about that. */
  tookEffect(): void {
    if (this.#begun.size === 0) return;
    this.#begun.clear();
    // The caller has not finished its step yet.
    queueMicrotask(() => this.#next());
  }

  /** The newest of those that wait, which waits no more. */
  takeLast(): Draft | undefined {
    const last = this.#later.at(-1);
    this.#later = this.#later.slice(0, -1);
    return last?.draft;
  }

  /** All of them. */
  takeAll(): readonly Draft[] {
    const drafts = this.later;
    this.#later = [];
    return drafts;
  }

  #next(): void {
    const [first, ...others] = this.#later;
    if (this.#begun.size > 0 || first === undefined) return;
    this.#later = others;
    this.#begin(first.act);
    this.#changed();
  }

  #begin(act: Act): void {
    // Known before it is called: it may take effect at once.
    this.#begun.add(act);
    const over = (): void => {
      if (this.#begun.delete(act)) this.#next();
    };
    void act().then(over, over);
  }
}
