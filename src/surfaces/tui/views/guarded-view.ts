import type { KeyGroup } from '../keys/key-map.ts';
import type { Frame } from '../screen/frame.ts';
import { Silence } from '../screen/silence.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { styled, warnStyle } from '../text/style.ts';
import type { View } from './view.ts';

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
export class GuardedView implements View {
  readonly #view: View;
  readonly #guard: Guard;
  #state: 'unseen' | 'waiting' | 'open' = 'unseen';
  #pauseMs = 0;
  #quietSince = 0;
  /** Goes on by itself until it is quiet, also if the question is gone. */
  readonly #silence: Silence = new Silence(() => (this.#isQuiet ? this.#open() : this.#silence.restart(tickMs)));
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
