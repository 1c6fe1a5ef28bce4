import type { KeyGroup } from '../keys/key-map.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { styled, warnStyle } from '../text/style.ts';
import type { View } from './view.ts';

const tickMs = 50;
/** Keys that were pressed while this process stood still for longer are read later than what it drew since. */
const stallMs = 150;

interface Guard {
  now(): number;
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
  #tickedAt = 0;
  #hasDropped = false;

  constructor(view: View, guard: Guard) {
    this.#view = view;
    this.#guard = guard;
  }

  get keys(): KeyGroup | 'raw' | undefined {
    return this.#view.keys;
  }

  get takesText(): boolean {
    return this.#view.takesText === true;
  }

  frame(look: Look, height: number): Frame {
    if (this.#state === 'unseen') this.#drawn();
    if (!this.#hasDropped || height < 3) return this.#view.frame(look, height);
    const frame = this.#view.frame(look, height - 1);
    const note = styled('  A key came before you could read this, and was not taken. Press it again.', warnStyle);
    return { ...frame, rows: [...frame.rows, drawRow(cutRow([note], look.width, look), look)] };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel' || input.kind === 'answer') return this.#view.input(input);
    const isWayOut = input.kind === 'key' && input.name === 'ctrl+c';
    if (this.#state !== 'open' && !isWayOut) {
      this.#quietSince = this.#guard.now();
      this.#hasDropped = true;
      return;
    }
    this.#hasDropped = false;
    this.#guard.answered();
    this.#view.input(input);
  }

  #drawn(): void {
    const now = this.#guard.now();
    this.#pauseMs = this.#guard.pauseMs();
    this.#state = this.#pauseMs <= 0 ? 'open' : 'waiting';
    this.#quietSince = now;
    this.#tickedAt = now;
    if (this.#state === 'waiting') this.#wait();
  }

  /** Between two ticks all that waits at the keyboard is read. It ends by itself, also if the question is gone. */
  #wait(): void {
    setTimeout(() => {
      const now = this.#guard.now();
      const late = now - this.#tickedAt - tickMs;
      this.#tickedAt = now;
      if (late > stallMs || late < -tickMs) this.#quietSince = now;
      if (now - this.#quietSince >= this.#pauseMs) this.#state = 'open';
      else this.#wait();
    }, tickMs).unref();
  }
}
