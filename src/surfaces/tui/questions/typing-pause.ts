import type { KeyGroup } from '../screen/keys/key-map.ts';
import { InputSilence } from '../screen/terminal/input-silence.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cutRow, drawRow } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { styled, warnStyle } from '../screen/text/style.ts';
import type { Frame, View } from '../screen/view.ts';

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

const tickMs = 50;

interface Guard {
  now(): number;
  /** Changes when keys may come that were typed for another program. */
  times(): number;
  /** A key went to the question. */
  answered(): void;
  /** How long the keyboard must be quiet after the question was drawn. */
  pauseMs(): number;
}

/** A question that takes keys once it was in sight and the keyboard quiet for a while. Keys before that are dropped. */
class GuardedView implements View {
  readonly #view: View;
  readonly #guard: Guard;
  #state: 'unseen' | 'waiting' | 'open' = 'unseen';
  #pauseMs = 0;
  #quietSince = 0;
  /** Goes on by itself until it is quiet, also if the question is gone. */
  readonly #silence: InputSilence = new InputSilence(() =>
    this.#isQuiet ? this.#open() : this.#silence.restart(tickMs),
  );
  #hasDropped = false;
  #times: number;
  #asks: unknown;

  constructor(view: View, guard: Guard) {
    this.#view = view;
    this.#guard = guard;
    this.#times = guard.times();
    this.#asks = view.asks;
  }

  get keys(): KeyGroup | 'raw' | undefined {
    return this.#view.keys;
  }

  get takesText(): boolean {
    return this.#view.takesText === true;
  }

  frame(look: Look, height: number): Frame {
    this.#compare();
    const isNoted = this.#hasDropped && height >= 3;
    const frame = this.#view.frame(look, isNoted ? height - 1 : height);
    // After its rows were made, which may take long.
    if (this.#state === 'unseen') this.#drawn();
    if (!isNoted) return frame;
    const note = styled('  A key came before you could read this, and was not taken. Press it again.', warnStyle);
    return { ...frame, rows: [...frame.rows, drawRow(cutRow([note], look.width, look), look)] };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel' || input.kind === 'answer') return this.#view.input(input);
    this.#compare();
    const name = input.kind === 'key' ? input.name : '';
    if (this.#view.looks?.includes(name) === true) return this.#view.input(input);
    if (this.#state !== 'open' && name !== 'ctrl+c') {
      this.#quietSince = this.#guard.now();
      this.#hasDropped = true;
      return;
    }
    this.#hasDropped = false;
    this.#guard.answered();
    this.#view.input(input);
  }

  /** A question that follows in the same view, or is in sight again, was not seen either. */
  #compare(): void {
    const [times, asks] = [this.#guard.times(), this.#view.asks];
    if (times !== this.#times || asks !== this.#asks) {
      this.#state = 'unseen';
      this.#hasDropped = false;
    }
    this.#times = times;
    this.#asks = asks;
  }

  #drawn(): void {
    this.#pauseMs = this.#guard.pauseMs();
    this.#state = this.#pauseMs <= 0 ? 'open' : 'waiting';
    this.#quietSince = this.#guard.now();
    if (this.#state === 'waiting') this.#silence.restart(tickMs);
  }

  get #isQuiet(): boolean {
    const now = this.#guard.now();
    // The clock of the system was set back.
    if (now < this.#quietSince) this.#quietSince = now;
    return now - this.#quietSince >= this.#pauseMs;
  }

  #open(): void {
    if (this.#state === 'waiting') this.#state = 'open';
  }
}
