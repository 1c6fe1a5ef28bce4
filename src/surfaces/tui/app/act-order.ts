import type { Draft } from '../composer/draft.ts';

/** Something that the user asked for. Its promise is settled when it has taken effect. */
type Act = () => Promise<unknown>;

interface LaterAct {
  readonly act: Act;
  /** What it would be in the composer. Absent: a key, which leaves nothing there. */
  readonly draft?: Draft;
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
    return this.#later.flatMap(({ draft }) => draft ?? []);
  }

  /** Something that the user asked for has not taken effect yet. */
  get isActing(): boolean {
    return this.#begun.size + this.#later.length > 0;
  }

  /** Now, or as soon as what came before has taken effect. */
  do(draft: Draft, act: Act): void {
    this.#add({ act, draft });
  }

  /** The same for a key. It cannot be taken back. */
  press(act: Act): void {
    this.#add({ act });
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
    const last = this.#later.findLast(({ draft }) => draft !== undefined);
    this.#later = this.#later.filter((each) => each !== last);
    return last?.draft;
  }

  /** All of them. */
  takeAll(): readonly Draft[] {
    const drafts = this.later;
    this.#later = this.#later.filter(({ draft }) => draft === undefined);
    return drafts;
  }

  #add(later: LaterAct): void {
    if (this.#begun.size === 0) return this.#begin(later.act);
    this.#later = [...this.#later, later];
    this.#changed();
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
