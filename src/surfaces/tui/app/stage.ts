import type { Outcome } from '../../../protocol/outcome.ts';
import { SlashPopup } from '../views/slash-popup.ts';
import { Composer } from '../composer/composer.ts';
import type { PinnedPlan } from '../views/plan-rows.ts';
import type { View } from '../views/view.ts';
import { type Frame, type FramePlace, fitFrame, noFrame } from '../screen/frame.ts';
import { CursorShape } from '../screen/cursor-shape.ts';
import { FullScreen } from '../screen/full-screen.ts';
import { InlineScreen } from '../screen/inline-screen.ts';
import { noOtherScreen } from '../screen/keeps-screen.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import { drawnColumns } from '../text/drawn-columns.ts';
import type { Look } from '../text/look.ts';
import { Announcements } from './announcements.ts';
import { bottomRows, type FailedTurn, noneWaiting, type WaitingWords } from './bottom-rows.ts';
import { pinnedRow } from './pinned-row.ts';
import { keyFooter } from './key-footer.ts';
import { FrameClock } from './frame-clock.ts';
import { type PromptMarks, Transcript } from './transcript.ts';

/** What a screen depends on and the terminal does not say. */
export type StageLook = Omit<Look, 'width' | 'now' | 'details'>;

export interface StageOptions {
  readonly terminal: TerminalPort;
  readonly look: StageLook;
  readonly isFull: boolean;
  /** See `InlineOptions`. */
  readonly reflows: boolean;
  /** Around the words of the user, in the scrollback. Absent: none. */
  readonly marks?: PromptMarks;
  now(): number;
  /** Another stage shows it as a view, and draws when this one asks for it. Absent: it has the screen. */
  hosted?(): void;
}

/** Rows of a conversation in sight, from which on the message that they answer is pinned above them. */
const leastPinned = 5;

/**
 * Columns from which on rows are printed for good. A window is narrower only for a moment, while it is dragged or folded,
 * and what is printed then stays cut to pieces.
 */
const leastPrinted = 10;

/** What is going on, for the row above the composer. */
export interface Busy {
  readonly header: string;
  readonly since: number;
  readonly detail?: string;
  /** When it goes on by itself. */
  readonly until?: number;
  /** It is a command of the user, which may never end by itself. */
  readonly isCommand?: true;
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
  readonly #announcements = new Announcements();
  readonly #marks: PromptMarks | undefined;
  readonly #shape: CursorShape;
  #look: StageLook;
  #isFull: boolean;
  #isEnded = false;
  /** Another program has the terminal: a frame would stand in the middle of what it shows. */
  #isAside = false;
  /** Rows that the user has scrolled back, on a whole screen. */
  #back = 0;
  #view: View | undefined;
  /** What is asked stands over a view that the user opened. */
  #asked: View | undefined;
  #pager: View | undefined;
  #busy: Busy | undefined;
  #shell: Busy | undefined;
  #failed: FailedTurn | undefined;
  /** What is pinned above the composer. */
  plan: PinnedPlan | undefined;
  /** How many commands run in the background. */
  background: () => number = () => 0;
  /** Below the composer: what holds, or a hint. */
  footer: (look: Look) => readonly string[] = () => [];
  /** In the place of the footer: a list for the draft, or a search. */
  under: ((look: Look) => readonly string[]) | undefined;
  /** After each frame: what does not stand on the screen, such as the title of the window. */
  drawn: (look: Look) => void = () => {};
  /** The first key of a chord, while the next one is waited for. */
  pendingKey: string | undefined;
  placeholder = 'Ask Capstan to do anything';
  waiting: WaitingWords = noneWaiting;
  /** A view or a pager has the screen. */
  viewOpened: () => void = () => {};
  /** A view that the user opened is closed. */
  viewClosed: () => void = () => {};

  constructor({ terminal, look, isFull, reflows, marks, now, hosted }: StageOptions) {
    this.#marks = marks;
    this.#terminal = terminal;
    this.#look = look;
    this.#isFull = isFull && (terminal.keepsScreen || hosted !== undefined);
    this.#now = now;
    this.#inline = new InlineScreen({ terminal, reflows, widthOf: drawnColumns });
    this.#full = new FullScreen(terminal);
    this.#shape = new CursorShape(terminal);
    const draw = (): void => {
      this.#draw();
      this.drawn(this.look);
    };
    this.#clock = new FrameClock(hosted ?? draw);
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
    return this.#asked ?? this.#view;
  }

  /** The user has opened a view. */
  get isChoosing(): boolean {
    return this.#view !== undefined;
  }

  get pager(): View | undefined {
    return this.#pager;
  }

  get busy(): Busy | undefined {
    return this.#busy;
  }

  set busy(busy: Busy | undefined) {
    this.#busy = busy;
    this.#tick();
    this.draw();
  }

  /** A command of the user runs: it stands in the place of what is going on, as it is what Esc ends. */
  set shell(shell: Busy | undefined) {
    this.#shell = shell;
    this.#tick();
    this.draw();
  }

  /** The last turn failed and can be tried again. Shown while nothing runs. */
  set failed(failed: FailedTurn | undefined) {
    this.#failed = failed;
    this.#tick();
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

  /** A sequence for the terminal itself, which draws nothing. */
  send(sequence: string): void {
    this.#terminal.write(sequence);
  }

  /** In the place of the composer; undefined: the composer is back. */
  open(view: View | undefined): void {
    const isClosed = view === undefined && this.#view !== undefined;
    this.#view = view;
    this.draw();
    if (view !== undefined) this.viewOpened();
    if (isClosed) this.viewClosed();
  }

  /** The same for a question. A view that was open is there again when it has its answer. */
  ask(view: View | undefined): void {
    this.#asked = view;
    this.draw();
  }

  /** Over everything, on a screen of its own where the terminal has one, else as the live part. */
  openPager(pager: View | undefined): void {
    const isOther = !this.#isFull && this.#terminal.keepsScreen;
    if (isOther && (pager === undefined) !== (this.#pager === undefined)) {
      if (pager === undefined) this.#full.end();
      else this.#full.begin();
    }
    this.#pager = pager;
    this.draw();
    if (pager !== undefined) this.viewOpened();
  }

  /** From one way to show the conversation to the other. Gives the reason where that cannot be. */
  switchMode(): Outcome | undefined {
    if (!this.#isFull && !this.#terminal.keepsScreen) return noOtherScreen;
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
    return undefined;
  }

  scroll(rows: number): void {
    const wanted = Math.max(0, this.#back + rows);
    this.#back = Math.max(0, this.transcript.rowCount(this.look, wanted + 1) - 1);
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
    if (!this.#hasWhole) this.#inline.resized();
    this.#full.forget();
    this.transcript.resized(this.look);
    this.#clock.now();
  }

  /** Another program had the terminal. */
  cameBack(): void {
    this.#isAside = false;
    this.#inline.forget();
    if (this.#hasWhole) this.#full.begin();
    this.#clock.now();
  }

  /** Leaves room for another program. What is finished stays on the screen. */
  stepAside(): void {
    this.#isAside = true;
    this.#shape.show(undefined);
    if (this.#hasWhole) this.#full.end();
    else this.#inline.end(this.transcript.takeFinished(this.look));
  }

  /** The screen is given back. What a whole screen showed last stays in the scrollback, with a few rows below it. */
  end(summary: readonly string[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#clock.stop();
    this.#shape.show(undefined);
    const { look } = this;
    if (this.#hasWhole) this.#full.end();
    if (this.#isFull) this.transcript.keepLast(look, this.#terminal.rows);
    const finished = this.transcript.takeFinished(look);
    this.#inline.end([...finished, ...this.transcript.unfinishedRows(look)]);
    // Where nothing is left of the live part: a row of it may be longer than the screen is wide.
    this.#terminal.write(summary.map((row) => `${row}\r\n`).join(''));
  }

  /** All that a screen of its own shows. */
  wholeFrame(look: Look, height: number): Frame {
    if (this.#pager !== undefined) return this.#pager.frame(look, height);
    const bottom = this.#bottom(look, height);
    const room = Math.max(0, height - bottom.rows.length);
    const rows = this.transcript.lastRows(look, room, this.#back);
    const prompt = room < leastPinned ? undefined : this.transcript.promptAbove(look, room, this.#back);
    return below(prompt === undefined ? rows : [pinnedRow(prompt, look), ...rows.slice(1)], bottom);
  }

  /** Nothing of it is drawn any more. */
  discard(): void {
    this.#isEnded = true;
    this.#clock.stop();
  }

  /** A stage that this one shows as a view: with the same terminal and the same look. */
  within(): TuiStage {
    return new TuiStage({
      terminal: this.#terminal,
      look: this.#look,
      isFull: true,
      reflows: false,
      now: this.#now,
      hosted: () => this.draw(),
    });
  }

  /** The whole screen is drawn, and what stood there before is behind it. */
  get #hasWhole(): boolean {
    return this.#isFull || (this.#pager !== undefined && this.#terminal.keepsScreen);
  }

  get #running(): Busy | undefined {
    return this.#shell ?? this.#busy;
  }

  /** Time passes on the screen while something runs, or is waited for. */
  #tick(): void {
    const counts = this.#running !== undefined || this.#failed?.opensAt !== undefined;
    this.#clock.tick(counts && this.#look.glyphs !== 'words' ? 1000 : undefined);
  }

  #draw(): void {
    if (this.#isAside) return;
    this.#shape.show(this.#pager === undefined && this.#view === undefined ? this.composer.vim?.mode : undefined);
    const { rows: height } = this.#terminal;
    const { look } = this;
    if (this.#hasWhole) return this.#full.show(this.wholeFrame(look, height));
    if (this.#pager !== undefined) return this.#inline.show([], this.#pager.frame(look, height));
    const bottom = this.#bottom(look, height);
    const room = Math.max(0, height - bottom.rows.length);
    const finished = this.#isTooNarrow(look) ? [] : this.transcript.takeFinished(look, this.#marks);
    if (look.glyphs === 'words') return this.#inline.show([...finished, ...this.#news(look)], bottom);
    const live = this.transcript.unfinishedRows(look);
    this.#inline.show(finished, below(live.slice(Math.max(0, live.length - room)), bottom));
  }

  /** A screen reader does not wait for a wider window. */
  #isTooNarrow(look: Look): boolean {
    return look.width < leastPrinted && look.glyphs !== 'words';
  }

  #news(look: Look): readonly string[] {
    const { waiting, transcript } = this;
    return this.#announcements.news({ busy: this.#running, failed: this.#failed, waiting, transcript }, look);
  }

  /** The composer with what stands around it, or a view in its place. */
  #bottom(look: Look, height: number): Frame {
    // To a screen reader it is said once.
    const isRead = look.glyphs === 'words';
    const room = Math.max(1, height - 1);
    const { view } = this;
    const shown = { busy: this.#running, failed: this.#failed, background: this.background() };
    if (view !== undefined) {
      // What is asked or chosen needs the space.
      const running = isRead ? [] : bottomRows({ ...shown, plan: undefined, waiting: noneWaiting }, look);
      return fitFrame(below([...running, ''], view.frame(look, Math.max(1, room - running.length))), height);
    }
    const above = isRead ? [] : bottomRows({ ...shown, plan: this.plan, waiting: this.waiting }, look);
    const most = Math.max(1, Math.floor(height / 2));
    const composer = this.composer.frame(look, most, this.placeholder);
    const listed = this.composer.isRecalled ? [] : this.popup.rows(this.composer.draft, look);
    const keyed = { footer: this.footer, pendingKey: this.pendingKey, mode: this.composer.vim?.mode };
    const footer = (): readonly string[] => (isRead ? [] : keyFooter(keyed, look));
    const under = this.under?.(look) ?? (listed.length > 0 ? listed : footer());
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
