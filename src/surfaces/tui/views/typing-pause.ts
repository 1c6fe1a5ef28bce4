import type { View } from './view.ts';
import { GuardedView } from './guarded-view.ts';

/** How long the keyboard must be quiet, in milliseconds. */
export interface PauseTimes {
  /** Before a question is drawn over what the user types into. */
  readonly typed: number;
  /** After a question was drawn, before a key answers it. */
  readonly drawn: number;
  /** The same for a question behind another one: longer than a key that is held waits before it repeats. */
  readonly next: number;
  /** After the end of what ran was drawn, before Ctrl+C leaves: until then it is meant for what ran. */
  readonly over: number;
}

export const pauseTimes: PauseTimes = { typed: 1000, drawn: 400, next: 750, over: 1000 };

/**
 * The one rule for everything that is asked: no key that the user pressed before a question was in sight answers it,
 * whatever the key was meant for.
 */
export class TypingPause {
  readonly now: () => number;
  readonly #times: PauseTimes;
  #typedAt = -Infinity;
  /** The newest key was an answer, or for something that a question had opened. */
  #isAnswer = false;
  #answeredAt = -Infinity;
  #restarts = 0;

  constructor(now: () => number, times: PauseTimes = pauseTimes) {
    this.now = now;
    this.#times = times;
  }

  /** Who has typed types on, for so many milliseconds. */
  get typing(): { readonly typingMs: number; now(): number } {
    return { typingMs: this.#times.typed, now: this.now };
  }

  /** A key was read, or a paste. To be called before what has the keyboard gets it. */
  typed(): void {
    this.#typedAt = this.now();
    this.#isAnswer = false;
  }

  /** The newest key was for a question: the next one can be drawn at once. */
  answered(): void {
    this.#answeredAt = this.now();
    this.#isAnswer = true;
  }

  /** Keys that come now may have been typed for another program: what is asked has to be in sight anew. */
  restart(): void {
    this.#restarts += 1;
  }

  /** See `PauseTimes.over`. `since`: when its end was drawn; infinite: it was not. */
  isJustOver(since: number): boolean {
    // Not "less than": the clock of the system may be set back.
    return since === Infinity || Math.abs(this.now() - since) < this.#times.over;
  }

  /** Milliseconds before a question may be drawn. */
  get wait(): number {
    return this.#isAnswer ? 0 : Math.max(0, this.#typedAt + this.#times.typed - this.now());
  }

  /** Until then. */
  async quiet(): Promise<void> {
    for (let { wait } = this; wait > 0; { wait } = this) {
      await new Promise((over) => setTimeout(over, wait).unref());
    }
  }

  /** The view with keys that answer after a pause alone. Ctrl+C counts at once: it allows nothing. */
  guard(view: View): View {
    const { drawn, next } = this.#times;
    return new GuardedView(view, {
      now: this.now,
      times: () => this.#restarts,
      answered: () => this.answered(),
      // Asked when it is drawn: another question may have had its answer since.
      pauseMs: () => (this.now() - this.#answeredAt < next ? next : drawn),
    });
  }
}
