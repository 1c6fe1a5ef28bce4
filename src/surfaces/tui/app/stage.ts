import type { Outcome } from '../../../protocol/outcome.ts';
import { SlashPopup } from '../views/slash-popup.ts';
import { Composer } from '../composer/composer.ts';
import type { PinnedPlan } from '../views/plan-rows.ts';
import type { View } from '../views/view.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import type { Look } from '../text/look.ts';
import { bottomFrame } from './bottom-frame.ts';
import { type Busy, type FailedTurn, noneWaiting, type StageState, type WaitingWords } from './bottom-rows.ts';
import { FrameClock } from './frame-clock.ts';
import { PrintedTranscript } from './printed-transcript.ts';
import { ScrolledTranscript } from './scrolled-transcript.ts';
import { StageScreens } from './stage-screens.ts';
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

/** All that stands on the screen. It can change from one of the two screens to the other at any time. */
export class TuiStage {
  readonly transcript = new Transcript();
  readonly composer = new Composer();
  readonly popup = new SlashPopup();
  readonly #terminal: TerminalPort;
  readonly #now: () => number;
  readonly #clock: FrameClock;
  readonly #screens: StageScreens;
  readonly #printed: PrintedTranscript;
  readonly #scrolled: ScrolledTranscript;
  #look: StageLook;
  #isEnded = false;
  #view: View | undefined;
  /** What is asked stands over a view that the user opened. */
  #asked: View | undefined;
  #pager: View | undefined;
  #busy: Busy | undefined;
  #shell: Busy | undefined;
  #failed: FailedTurn | undefined;
  #idleSince = -Infinity;
  /** What is pinned above the composer. */
  plan: PinnedPlan | undefined;
  /** How many commands and agents run in the background. */
  background: () => StageState['background'] = () => ({ commands: 0, agents: 0 });
  /** Below the composer: what holds, or a hint. */
  footer: (look: Look) => readonly string[] = () => [];
  /** In the place of the footer: a list for the draft, or a search. */
  under: ((look: Look, room: number) => readonly string[]) | undefined;
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
    this.#terminal = terminal;
    this.#look = look;
    this.#now = now;
    const canBeFull = terminal.keepsScreen || hosted !== undefined;
    this.#screens = new StageScreens({ terminal, isFull: isFull && canBeFull, reflows });
    this.#printed = new PrintedTranscript(this.transcript, marks);
    this.#scrolled = new ScrolledTranscript(this.transcript);
    const draw = (): void => {
      this.#draw();
      this.drawn(this.look);
    };
    this.#clock = new FrameClock(hosted ?? draw);
    this.composer.changed = () => this.draw();
  }

  /** To be called when the terminal is ours. */
  begin(): void {
    this.#screens.begin();
    this.#clock.now();
  }

  get look(): Look {
    return { ...this.#look, width: this.#terminal.columns, now: this.#now(), details: 'folded' };
  }

  get isFull(): boolean {
    return this.#screens.isFull;
  }

  get view(): View | undefined {
    return this.#asked ?? this.#view;
  }

  /** The user has opened a view. */
  get isChoosing(): boolean {
    return this.#view !== undefined;
  }

  /** A list for the draft can be drawn. Below one row it cannot, and takes no keys. */
  get hasListRoom(): boolean {
    return this.#terminal.rows > 1;
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

  /** When a frame showed first that nothing runs any more. Infinite: something runs in the frame that is in sight. */
  get idleSince(): number {
    return this.#idleSince;
  }

  changeLook(change: Partial<StageLook>): void {
    this.#look = { ...this.#look, ...change };
    this.draw();
  }

  /** Soon: many changes make one frame. */
  draw(): void {
    if (!this.#isEnded) this.#clock.ask();
  }

  /** What a key has changed: before anything that streams. */
  drawKey(): void {
    if (!this.#isEnded) this.#clock.echo();
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
    this.#screens.setPager(pager !== undefined);
    this.#pager = pager;
    this.draw();
    if (pager !== undefined) this.viewOpened();
  }

  /** From one way to show the conversation to the other. Gives the reason where that cannot be. */
  switchMode(): Outcome | undefined {
    const refused = this.#screens.switchMode();
    if (refused === undefined) this.scrollToEnd();
    return refused;
  }

  scroll(rows: number): void {
    this.#scrolled.scroll(rows, this.look);
    this.draw();
  }

  /** The end of the conversation is in sight again. */
  scrollToEnd(): void {
    this.#scrolled.toEnd();
    this.draw();
  }

  /** Rows that a page has. */
  get page(): number {
    return Math.max(1, this.#terminal.rows - 6);
  }

  resized(): void {
    this.#screens.resized();
    this.transcript.resized(this.look);
    this.#clock.now();
  }

  /** Another program had the terminal. */
  cameBack(): void {
    this.#screens.cameBack();
    this.#clock.now();
  }

  /** Leaves room for another program. What is finished stays on the screen. */
  stepAside(): void {
    this.#screens.stepAside(() => this.transcript.takeFinished(this.look));
  }

  /** The screen is given back. What a whole screen showed last stays in the scrollback, with a few rows below it. */
  end(summary: readonly string[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#clock.stop();
    const { look, transcript } = this;
    if (this.isFull) transcript.keepLast(look, this.#terminal.rows);
    this.#screens.end([...transcript.takeFinished(look), ...transcript.unfinishedRows(look)], summary);
  }

  /** All that a screen of its own shows. */
  wholeFrame(look: Look, height: number): Frame {
    return this.#pager?.frame(look, height) ?? this.#scrolled.frame(look, height, this.#bottom(look, height));
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

  get #running(): Busy | undefined {
    return this.#shell ?? this.#busy;
  }

  get #state(): StageState {
    return { busy: this.#running, failed: this.#failed, background: this.background() };
  }

  /** Time passes on the screen while something runs, or is waited for. */
  #tick(): void {
    const isWaiting = this.#failed?.opensAt !== undefined || this.background().agents > 0;
    const counts = this.#running !== undefined || isWaiting;
    this.#clock.tick(counts && this.#look.glyphs !== 'words' ? 1000 : undefined);
  }

  #draw(): void {
    if (this.#screens.isAside) return;
    // Agents end by themselves.
    if (this.#running === undefined) this.#tick();
    const isWritten = this.#pager === undefined && this.#view === undefined;
    this.#screens.showCursor(isWritten ? this.composer.vim?.mode : undefined);
    const { rows: height } = this.#terminal;
    const { look, waiting } = this;
    if (this.#screens.hasWhole) return this.#screens.showWhole(this.wholeFrame(look, height));
    if (this.#pager !== undefined) return this.#screens.showInline([], this.#pager.frame(look, height));
    const bottom = this.#bottom(look, height);
    const { printed, live } = this.#printed.next(look, height, bottom, { ...this.#state, waiting });
    this.#screens.showInline(printed, live);
  }

  /** The composer with what stands around it, or a view in its place. */
  #bottom(look: Look, height: number): Frame {
    if (this.#running !== undefined) this.#idleSince = Infinity;
    else if (this.#idleSince === Infinity) this.#idleSince = look.now;
    return bottomFrame(this, this.#state, look, height);
  }
}
