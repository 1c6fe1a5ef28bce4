import { drawCutRows } from '../pages/list-parts.ts';
import type { KeyGroup } from '../screen/keys/key-map.ts';
import { InputSilence } from '../screen/terminal/input-reader.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import type { Look } from '../screen/text/look.ts';
import { styled, warnStyle } from '../screen/text/style.ts';
import type { Frame, View } from '../screen/view.ts';

/** Milliseconds for which the keyboard must be quiet. */
export interface TypingPauseTimes {
  /** Before a question is drawn over the place of typing. */
  readonly typed: number;
  /** After a question was drawn, before a key answers it. */
  readonly drawn: number;
  /** Like `drawn`, for a question after another one: longer than the initial repeat delay of a held key. */
  readonly next: number;
  /** After the end of running work was drawn, before Ctrl+C quits: an earlier Ctrl+C was meant for that work. */
  readonly over: number;
}

export const typingPauseTimes: TypingPauseTimes = { typed: 1000, drawn: 400, next: 750, over: 1000 };

/** No key pressed before a question was visible answers it, whatever the key was meant for. */
export class TypingPause {
  readonly now: () => number;
  readonly #times: TypingPauseTimes;
  #typedAt = -Infinity;
  /** The newest key was an answer, or for a view that a question had opened. */
  #isAnswer = false;
  #answeredAt = -Infinity;
  /** Increases when pending keys may have been typed for another program: an open question must be shown anew. */
  restarts = 0;

  constructor(now: () => number, times: TypingPauseTimes = typingPauseTimes) {
    this.now = now;
    this.#times = times;
  }

  /** After a key, the user counts as typing for this long. */
  get typing(): { readonly typingMs: number; now(): number } {
    return { typingMs: this.#times.typed, now: this.now };
  }

  typed(): void {
    this.#typedAt = this.now();
    this.#isAnswer = false;
  }

  /** The newest key was for a question: the next one can be drawn at once. */
  answered(): void {
    this.#answeredAt = this.now();
    this.#isAnswer = true;
  }

  restart(): void {
    this.restarts += 1;
  }

  /** True while Ctrl+C is meant for ended work. `since`: the time when its end was drawn; infinite before that. */
  isJustOver(since: number): boolean {
    // Not "less than": the system clock may be set back.
    return since === Infinity || Math.abs(this.now() - since) < this.#times.over;
  }

  /** Milliseconds before a question may be drawn. */
  get wait(): number {
    return this.#isAnswer ? 0 : Math.max(0, this.#typedAt + this.#times.typed - this.now());
  }

  async quiet(): Promise<void> {
    for (let { wait } = this; wait > 0; { wait } = this) await new Promise((over) => setTimeout(over, wait).unref());
  }

  /** Wraps a view so that its keys answer only after a pause. Ctrl+C counts at once: it allows nothing. */
  guard(view: View): View {
    return new GuardedView(view, this);
  }

  /** Milliseconds before a key answers a question that is drawn now. */
  get drawnPause(): number {
    const { drawn, next } = this.#times;
    return this.now() - this.#answeredAt < next ? next : drawn;
  }
}

const tickMs = 50;

/** Accepts keys once the question was visible and the keyboard was quiet for a while. Earlier keys are dropped. */
class GuardedView implements View {
  readonly #view: View;
  readonly #pause: TypingPause;
  #state: 'unseen' | 'waiting' | 'open' = 'unseen';
  #pauseMs = 0;
  #quietSince = 0;
  /** Restarts itself until the keyboard is quiet, even if the question is gone. */
  readonly #silence: InputSilence = new InputSilence(() =>
    this.#isQuiet ? this.#open() : this.#silence.restart(tickMs),
  );
  #hasDropped = false;
  #restarts: number;
  #asks: unknown;

  constructor(view: View, pause: TypingPause) {
    this.#view = view;
    this.#pause = pause;
    this.#restarts = pause.restarts;
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
    // Start after its rows were made, which may take long.
    if (this.#state === 'unseen') this.#drawn();
    if (!isNoted) return frame;
    const note = styled('  A key came before you could read this, and was not taken. Press it again.', warnStyle);
    return { ...frame, rows: [...frame.rows, ...drawCutRows([[note]], look)] };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel' || input.kind === 'answer') return this.#view.input(input);
    this.#compare();
    const name = input.kind === 'key' ? input.name : '';
    if (this.#view.looks?.includes(name) === true) return this.#view.input(input);
    if (this.#state !== 'open' && name !== 'ctrl+c') {
      this.#quietSince = this.#pause.now();
      this.#hasDropped = true;
      return;
    }
    this.#hasDropped = false;
    this.#pause.answered();
    this.#view.input(input);
  }

  /** The next question in the same view, or one that is shown again, counts as unseen too. */
  #compare(): void {
    const { restarts } = this.#pause;
    const { asks } = this.#view;
    if (restarts !== this.#restarts || asks !== this.#asks) {
      this.#state = 'unseen';
      this.#hasDropped = false;
    }
    this.#restarts = restarts;
    this.#asks = asks;
  }

  #drawn(): void {
    this.#pauseMs = this.#pause.drawnPause;
    this.#state = this.#pauseMs <= 0 ? 'open' : 'waiting';
    this.#quietSince = this.#pause.now();
    if (this.#state === 'waiting') this.#silence.restart(tickMs);
  }

  get #isQuiet(): boolean {
    const now = this.#pause.now();
    // The system clock was set back.
    if (now < this.#quietSince) this.#quietSince = now;
    return now - this.#quietSince >= this.#pauseMs;
  }

  #open(): void {
    if (this.#state === 'waiting') this.#state = 'open';
  }
}
