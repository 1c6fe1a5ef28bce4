import type { ThreadEvent } from '../../protocol/thread-event.ts';

/** From here on, what is held back is counted and not shown. */
const mostHeld = 300;

/**
 * Holds back what a run prints while a question of it is open at the terminal: an output in between could push the
 * question away, and pose as another one.
 */
export class HeldBack {
  readonly #open = new Set<string>();
  readonly #held: (() => void)[] = [];
  readonly #sayLost: (count: number) => void;
  #lost = 0;

  /** `sayLost`: more came than can be held. */
  constructor(sayLost: (count: number) => void) {
    this.#sayLost = sayLost;
  }

  /** Prints now, or in its turn when the question is answered. */
  print(print: () => void): void {
    if (this.#open.size === 0) return print();
    if (this.#held.length < mostHeld) this.#held.push(print);
    else this.#lost++;
  }

  /** The same for what must not be lost: it is a part of something that was printed before. */
  printAll(print: () => void): void {
    if (this.#open.size === 0) print();
    else this.#held.push(print);
  }

  /** To be called before the event is printed: an answer ends the waiting. */
  before(event: ThreadEvent): void {
    if (event.kind === 'question-answered') this.#open.delete(event.id);
    if (event.kind === 'question-answered' ? this.#open.size === 0 : endsTurn(event)) this.release();
  }

  /** To be called when the event is printed: from a question on, everything waits. A reviewer reads no screen. */
  after(event: ThreadEvent): void {
    if (event.kind === 'question-asked' && event.to !== 'review') this.#open.add(event.question.id);
  }

  release(): void {
    this.#open.clear();
    for (const print of this.#held.splice(0)) print();
    if (this.#lost > 0) this.#sayLost(this.#lost);
    this.#lost = 0;
  }
}

function endsTurn({ kind }: ThreadEvent): boolean {
  return kind === 'turn-completed' || kind === 'turn-failed' || kind === 'turn-aborted' || kind === 'turn-suspended';
}
