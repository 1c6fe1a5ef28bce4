import { SlashPopup } from '../views/slash-popup.ts';
import { Composer } from '../composer/composer.ts';
import type { View } from '../views/view.ts';
import { type Frame, type FramePlace, fitFrame, noFrame } from '../screen/frame.ts';
import { CursorShape } from '../screen/cursor-shape.ts';
import { FullScreen } from '../screen/full-screen.ts';
import { InlineScreen } from '../screen/inline-screen.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import { drawnColumns } from '../text/drawn-columns.ts';
import type { Look } from '../text/look.ts';
import { keyFooter } from './key-footer.ts';
import { bottomRows, type WaitingWords } from './bottom-rows.ts';
import { FrameClock } from './frame-clock.ts';
import { Transcript } from './transcript.ts';

/** What a screen depends on and the terminal does not say. */
export type StageLook = Omit<Look, 'width' | 'now' | 'details'>;

export interface StageOptions {
  readonly terminal: TerminalPort;
  readonly look: StageLook;
  readonly isFull: boolean;
  /** See `InlineOptions`. */
  readonly reflows: boolean;
  now(): number;
}

/** What is going on, for the row above the composer. */
export interface Busy {
  readonly header: string;
  readonly since: number;
  readonly detail?: string;
}

/**
 * All that stands on the screen, and the two ways to show it: as rows that are printed once, with a live part below them,
 * or as a whole screen. It can change from one to the other at any time.
 */
export class TuiStage {
  readonly transcript = new Transcript();
  readonly composer = new Composer();
  readonly popup = new SlashPopup();
  readonly #terminal: TerminalPort;
  readonly #now: () => number;
  readonly #clock: FrameClock;
  readonly #inline: InlineScreen;
  readonly #full: FullScreen;
  readonly #shape: CursorShape;
  #look: StageLook;
  #isFull: boolean;
  #isEnded = false;
  /** Another program has the terminal: a frame would stand in the middle of what it shows. */
  #isAside = false;
  /** Rows that the user has scrolled back, on a whole screen. */
  #back = 0;
  #view: View | undefined;
  #pager: View | undefined;
  #busy: Busy | undefined;
  /** Below the composer: what holds, or a hint. */
  footer: (look: Look) => readonly string[] = () => [];
  /** In the place of the footer: a list for the draft, or a search. */
  under: ((look: Look) => readonly string[]) | undefined;
  /** The first key of a chord, while the next one is waited for. */
  pendingKey: string | undefined;
  placeholder = 'Ask Capstan to do anything';
  waiting: WaitingWords = { steers: [], queued: [] };

  constructor({ terminal, look, isFull, reflows, now }: StageOptions) {
    this.#terminal = terminal;
    this.#look = look;
    this.#isFull = isFull;
    this.#now = now;
    this.#inline = new InlineScreen({ terminal, reflows, widthOf: drawnColumns });
    this.#full = new FullScreen(terminal);
    this.#shape = new CursorShape(terminal);
    this.#clock = new FrameClock(() => this.#draw());
    this.composer.changed = () => this.draw();
  }

  /** To be called when the terminal is ours. */
  begin(): void {
    if (this.#isFull) this.#full.begin();
    this.#clock.now();
  }

  get look(): Look {
    return { ...this.#look, width: this.#terminal.columns, now: this.#now(), details: 'folded' };
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  get view(): View | undefined {
    return this.#view;
  }

  get pager(): View | undefined {
    return this.#pager;
  }

  get busy(): Busy | undefined {
    return this.#busy;
  }

  set busy(busy: Busy | undefined) {
    this.#busy = busy;
    this.#clock.tick(busy === undefined ? undefined : 1000);
    this.draw();
  }

  changeLook(change: Partial<StageLook>): void {
    this.#look = { ...this.#look, ...change };
    this.draw();
  }

  /** Soon: many changes make one frame. */
  draw(): void {
    if (!this.#isEnded) this.#clock.ask();
  }

  drawNow(): void {
    this.#clock.now();
  }

  /** In the place of the composer; undefined: the composer is back. */
  open(view: View | undefined): void {
    this.#view = view;
    this.draw();
  }

  /** Over everything, on a screen of its own. */
  openPager(pager: View | undefined): void {
    if (!this.#isFull && (pager === undefined) !== (this.#pager === undefined)) {
      if (pager === undefined) this.#full.end();
      else this.#full.begin();
    }
    this.#pager = pager;
    this.draw();
  }

  /** From one way to show the conversation to the other. */
  switchMode(): void {
    this.#isFull = !this.#isFull;
    this.#back = 0;
    if (this.#isFull) {
      this.#inline.end([]);
      this.#full.begin();
    } else {
      this.#full.end();
      this.#inline.forget();
    }
    this.draw();
  }

  scroll(rows: number): void {
    const most = Math.max(0, this.transcript.rowCount(this.look) - 1);
    this.#back = Math.max(0, Math.min(most, this.#back + rows));
    this.draw();
  }

  /** The end of the conversation is in sight again. */
  scrollToEnd(): void {
    this.#back = 0;
    this.draw();
  }

  /** Rows that a page has. */
  get page(): number {
    return Math.max(1, this.#terminal.rows - 6);
  }

  resized(): void {
    if (!this.#isFull && this.#pager === undefined) this.#inline.resized();
    this.#full.forget();
    this.transcript.resized(this.look);
    this.#clock.now();
  }

  /** Another program had the terminal. */
  cameBack(): void {
    this.#isAside = false;
    this.#inline.forget();
    if (this.#isFull || this.#pager !== undefined) this.#full.begin();
    this.#clock.now();
  }

  /** Leaves room for another program. What is finished stays on the screen. */
  stepAside(): void {
    this.#isAside = true;
    this.#shape.show(undefined);
    if (this.#isFull || this.#pager !== undefined) this.#full.end();
    else this.#inline.end(this.transcript.takeFinished(this.look));
  }

  /** The screen is given back. What a whole screen showed last stays in the scrollback, with a few rows below it. */
  end(summary: readonly string[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#clock.stop();
    this.#shape.show(undefined);
    const { look } = this;
    if (this.#isFull || this.#pager !== undefined) this.#full.end();
    if (this.#isFull) this.transcript.keepLast(look, this.#terminal.rows);
    const finished = this.transcript.takeFinished(look);
    this.#inline.end([...finished, ...this.transcript.unfinishedRows(look), ...summary]);
  }

  #draw(): void {
    if (this.#isAside) return;
    this.#shape.show(this.#pager === undefined && this.#view === undefined ? this.composer.vim?.mode : undefined);
    const { rows: height } = this.#terminal;
    const { look } = this;
    if (this.#pager !== undefined) return this.#full.show(this.#pager.frame(look, height));
    const bottom = this.#bottom(look, height);
    const room = Math.max(0, height - bottom.rows.length);
    if (this.#isFull) {
      return this.#full.show(below(this.transcript.lastRows(look, room, this.#back), bottom));
    }
    const finished = this.transcript.takeFinished(look);
    const live = this.transcript.unfinishedRows(look);
    this.#inline.show(finished, below(live.slice(Math.max(0, live.length - room)), bottom));
  }

  /** The composer with what stands around it, or a view in its place. */
  #bottom(look: Look, height: number): Frame {
    const above = bottomRows({ busy: this.#busy, waiting: this.waiting }, look);
    const room = Math.max(1, height - 1);
    if (this.#view !== undefined) return fitFrame(below(['', ...above], this.#view.frame(look, room)), height);
    const most = Math.max(1, Math.floor(height / 2));
    const composer = this.composer.frame(look, most, this.placeholder);
    const listed = this.composer.isRecalled ? [] : this.popup.rows(this.composer.draft, look);
    const keyed = { footer: this.footer, pendingKey: this.pendingKey, mode: this.composer.vim?.mode };
    const under = this.under?.(look) ?? (listed.length > 0 ? listed : keyFooter(keyed, look));
    const whole = below([...above, ''], { ...composer, rows: [...composer.rows, '', ...under] });
    if (whole.rows.length <= height) return whole;
    // On a screen of a few rows the composer comes first.
    const bare = fitFrame(composer, room);
    return bare.rows.length + under.length <= height ? { ...bare, rows: [...bare.rows, ...under] } : bare;
  }
}

function below(above: readonly string[], { rows, cursor }: Frame = noFrame): Frame {
  const place: { readonly cursor?: FramePlace } =
    cursor === undefined ? {} : { cursor: { ...cursor, row: cursor.row + above.length } };
  return { rows: [...above, ...rows], ...place };
}
