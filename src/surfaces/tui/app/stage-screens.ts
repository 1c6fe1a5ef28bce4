import type { Outcome } from '../../../protocol/outcome.ts';
import { CursorShape } from '../screen/cursor-shape.ts';
import type { Frame } from '../screen/frame.ts';
import { FullScreen } from '../screen/full-screen.ts';
import { InlineScreen } from '../screen/inline-screen.ts';
import { noOtherScreen } from '../screen/keeps-screen.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import { drawnColumns } from '../text/drawn-columns.ts';

interface ScreensOptions {
  readonly terminal: TerminalPort;
  readonly isFull: boolean;
  /** See `InlineOptions`. */
  readonly reflows: boolean;
}

/**
 * The two ways to show a conversation, and which of them has the terminal: rows that are printed once, with a live part
 * below them, or a whole screen. A pager has the whole screen where the terminal keeps what stands behind it.
 */
export class StageScreens {
  readonly #terminal: TerminalPort;
  readonly #inline: InlineScreen;
  readonly #full: FullScreen;
  readonly #shape: CursorShape;
  #isFull: boolean;
  #hasPager = false;
  /** Another program has the terminal: a frame would stand in the middle of what it shows. */
  #isAside = false;

  constructor({ terminal, isFull, reflows }: ScreensOptions) {
    this.#terminal = terminal;
    this.#isFull = isFull;
    this.#inline = new InlineScreen({ terminal, reflows, widthOf: drawnColumns });
    this.#full = new FullScreen(terminal);
    this.#shape = new CursorShape(terminal);
  }

  /** To be called when the terminal is ours. */
  begin(): void {
    if (this.#isFull) this.#full.begin();
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  get isAside(): boolean {
    return this.#isAside;
  }

  /** The whole screen is drawn, and what stood there before is behind it. */
  get hasWhole(): boolean {
    return this.#isFull || (this.#hasPager && this.#terminal.keepsScreen);
  }

  /** A pager is there or no more. */
  setPager(hasPager: boolean): void {
    const isOther = !this.#isFull && this.#terminal.keepsScreen;
    if (isOther && hasPager !== this.#hasPager) {
      if (hasPager) this.#full.begin();
      else this.#full.end();
    }
    this.#hasPager = hasPager;
  }

  /** From one way to show the conversation to the other. Gives the reason where that cannot be. */
  switchMode(): Outcome | undefined {
    if (!this.#isFull && !this.#terminal.keepsScreen) return noOtherScreen;
    this.#isFull = !this.#isFull;
    if (this.#isFull) {
      this.#inline.end([]);
      this.#full.begin();
    } else {
      this.#full.end();
      this.#inline.forget();
    }
    return undefined;
  }

  /** What shape the cursor has: the mode of Vim, where the composer has the keyboard. */
  showCursor(mode: Parameters<CursorShape['show']>[0]): void {
    this.#shape.show(mode);
  }

  showWhole(frame: Frame): void {
    this.#full.show(frame);
  }

  /** `printed`: rows for the scrollback, above the live part. */
  showInline(printed: readonly string[], live: Frame): void {
    this.#inline.show(printed, live);
  }

  resized(): void {
    if (!this.hasWhole) this.#inline.resized();
    this.#full.forget();
  }

  /** Leaves room for another program. `finished`: what stays on the inline screen. */
  stepAside(finished: () => readonly string[]): void {
    this.#isAside = true;
    this.#shape.show(undefined);
    if (this.hasWhole) this.#full.end();
    else this.#inline.end(finished());
  }

  /** Another program had the terminal. */
  cameBack(): void {
    this.#isAside = false;
    this.#inline.forget();
    if (this.hasWhole) this.#full.begin();
  }

  /** The terminal is given back. What is left of the conversation stays in the scrollback, with a few rows below it. */
  end(left: readonly string[], summary: readonly string[]): void {
    this.#shape.show(undefined);
    if (this.hasWhole) this.#full.end();
    this.#inline.end(left);
    // Where nothing is left of the live part: a row of it may be longer than the screen is wide.
    this.#terminal.write(summary.map((row) => `${row}\r\n`).join(''));
  }
}
