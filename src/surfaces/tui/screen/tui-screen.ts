import type { Outcome } from '../../../protocol/outcome.ts';
import { SlashPopup } from '../commands/slash-popup.ts';
import { Composer } from '../draft/composer.ts';
import { PrintedTranscript, ScrolledTranscript } from '../transcript/transcript-on-screen.ts';
import { type PromptMarks, Transcript } from '../transcript/transcript.ts';
import {
  bottomFrame,
  type BottomRowsState,
  type Busy,
  type FailedTurn,
  noneWaiting,
  type PinnedPlan,
  type WaitingWords,
} from './bottom-frame.ts';
import { InlineAndFullScreen } from './inline-and-full-screen.ts';
import type { TerminalPort } from './terminal/terminal-port.ts';
import type { Look } from './text/look.ts';
import type { Frame, View } from './view.ts';

/** What a screen depends on and the terminal does not say. */
type ScreenLook = Omit<Look, 'width' | 'now' | 'details'>;

export interface TuiScreenOptions {
  readonly terminal: TerminalPort;
  readonly look: ScreenLook;
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
export class TuiScreen {
  readonly transcript = new Transcript();
  readonly composer = new Composer();
  readonly popup = new SlashPopup();
  readonly #terminal: TerminalPort;
  readonly #now: () => number;
  readonly #clock: FrameClock;
  readonly #screens: InlineAndFullScreen;
  readonly #printed: PrintedTranscript;
  readonly #scrolled: ScrolledTranscript;
  #look: ScreenLook;
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
  background: () => BottomRowsState['background'] = () => ({ commands: 0, agents: 0 });
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

  constructor({ terminal, look, isFull, reflows, marks, now, hosted }: TuiScreenOptions) {
    this.#terminal = terminal;
    this.#look = look;
    this.#now = now;
    const canBeFull = terminal.keepsScreen || hosted !== undefined;
    this.#screens = new InlineAndFullScreen({ terminal, isFull: isFull && canBeFull, reflows });
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

  changeLook(change: Partial<ScreenLook>): void {
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
  within(): TuiScreen {
    return new TuiScreen({
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

  get #state(): BottomRowsState {
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

/** Frames for what happens by itself are at least so far apart, after any other: no more than a screen shows. */
const frameMs = 16;
/** Frames for keys are at least so far apart: a flood of keys, such as a paste in pieces, must not draw all day. */
const keyFrameMs = 4;

/**
 * When to draw. Many changes make one frame, but what a key has changed never waits for the frame of what streams. Time
 * passes on the screen while something runs.
 */
export class FrameClock {
  readonly #draw: () => void;
  /** When the last frame was drawn, and the last one for a key. */
  #last = -frameMs;
  #lastKey = -keyFrameMs;
  #next: NodeJS.Timeout | undefined;
  #echo: NodeJS.Immediate | undefined;
  /** The next frame is for a key. */
  #isForKey = false;
  #ticking: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** For what happens by itself. */
  ask(): void {
    if (this.#isAsked || this.#isStopped) return;
    this.#next = setTimeout(() => this.now(), Math.max(0, frameMs - (performance.now() - this.#last)));
  }

  /** For a key: as soon as all is read that came with it. */
  echo(): void {
    if (this.#isForKey || this.#isStopped) return;
    this.#isForKey = true;
    clearTimeout(this.#next);
    this.#next = undefined;
    const wait = keyFrameMs - (performance.now() - this.#lastKey);
    if (wait > 0) this.#next = setTimeout(() => this.now(), wait);
    else this.#echo = setImmediate(() => this.now());
  }

  now(): void {
    const isForKey = this.#isForKey;
    this.#forget();
    if (this.#isStopped) return;
    this.#last = performance.now();
    if (isForKey) this.#lastKey = this.#last;
    this.#draw();
  }

  /** A frame in every so many milliseconds; undefined: none by itself. */
  tick(milliseconds: number | undefined): void {
    clearInterval(this.#ticking);
    this.#ticking = milliseconds === undefined ? undefined : setInterval(() => this.ask(), milliseconds);
  }

  stop(): void {
    this.#isStopped = true;
    this.#forget();
    clearInterval(this.#ticking);
  }

  get #isAsked(): boolean {
    return this.#next !== undefined || this.#echo !== undefined;
  }

  #forget(): void {
    clearTimeout(this.#next);
    clearImmediate(this.#echo);
    this.#next = undefined;
    this.#echo = undefined;
    this.#isForKey = false;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** How much a terminal can show, as far as its variables say. */
export function defaultScreenLook(env: Environment, places: Pick<ScreenLook, 'cwd' | 'home'>): ScreenLook {
  return { ...places, colours: terminalColours(env), palette: 'ansi', glyphs: terminalGlyphs(env) };
}

/** For a screen reader: words, and nothing that is drawn again. */
export const screenReaderLook = {
  glyphs: 'words',
  colours: 'none',
  motion: 'none',
} as const satisfies Partial<ScreenLook>;

/** `FORCE_COLOR` wins over `NO_COLOR`, as Node has it. */
export function terminalColours(env: Environment): ScreenLook['colours'] {
  const { FORCE_COLOR: forced } = env;
  if (forced === '0' || forced === 'false') return 'none';
  if (forced === '1') return 'sixteen';
  if (forced === '2') return '256';
  if (forced === '3') return 'true';
  if (forced === undefined && (env['NO_COLOR'] ?? '') !== '') return 'none';
  const { TERM: term = '', TMUX: tmux, TERM_PROGRAM: program = '' } = env;
  if (term === 'dumb' && forced === undefined) return 'none';
  const byName = /256/.test(term) ? '256' : 'sixteen';
  // GNU screen takes the parts of a full colour for styles. The variables may be those of the terminal around it.
  if (env['STY'] !== undefined && tmux === undefined) return byName;
  if (/truecolor|24bit/i.test(env['COLORTERM'] ?? '') || env['WT_SESSION'] !== undefined) return 'true';
  if (/direct|kitty|ghostty|alacritty|wezterm|^foot/.test(term)) return 'true';
  // What runs inside tmux has the variables of the terminal that tmux was started on.
  if (tmux === undefined && /^(?:iTerm\.app|WezTerm|ghostty|vscode)$/.test(program)) return 'true';
  return program === 'Apple_Terminal' ? '256' : byName;
}

/** ASCII where the console or the locale has nothing else. Without a locale most terminals still have UTF-8. */
export function terminalGlyphs(env: Environment): 'unicode' | 'ascii' {
  const chosen = env['CAPSTAN_ASCII'] ?? '';
  if (chosen !== '') return chosen === '0' ? 'unicode' : 'ascii';
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return 'ascii';
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => (value ?? '') !== '') ?? '';
  return locale === '' || /utf-?8/i.test(locale) ? 'unicode' : 'ascii';
}
