import type { Outcome } from '../../../protocol/outcome.ts';
import { SlashPopup } from '../commands/slash-popup.ts';
import { Composer } from '../draft/composer.ts';
import { PrintedTranscript, ScrolledTranscript } from '../transcript/transcript-on-screen.ts';
import { type PromptMarks, Transcript } from '../transcript/transcript.ts';
import { bottomFrame, noneWaiting } from './bottom-frame.ts';
import type { BottomRowsState, BusyState, FailedTurn, PinnedPlan, WaitingWords } from './bottom-frame.ts';
import { InlineAndFullScreen } from './inline-and-full-screen.ts';
import type { TerminalPort } from './terminal/terminal-port.ts';
import type { Look } from './text/look.ts';
import type { Frame, View } from './view.ts';

type ScreenLook = Omit<Look, 'width' | 'now' | 'details'>;

export interface TuiScreenOptions {
  readonly terminal: TerminalPort;
  readonly look: ScreenLook;
  readonly isFull: boolean;
  readonly reflows: boolean;
  /** Marks around messages of the user in the scrollback. Absent: none. */
  readonly marks?: PromptMarks;
  now(): number;
  /** Asks the outer stage to redraw this nested one. Absent if this stage has the screen itself. */
  hosted?(): void;
}

/** Everything on the screen. It can switch between inline and full screen at any time. */
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
  /** A question covers a view that the user opened. */
  #asked: View | undefined;
  #pager: View | undefined;
  #busy: BusyState | undefined;
  #shell: BusyState | undefined;
  #failed: FailedTurn | undefined;
  #idleSince = -Infinity;
  plan: PinnedPlan | undefined;
  background: () => BottomRowsState['background'] = () => ({ commands: 0, agents: 0 });
  footer: (look: Look) => readonly string[] = () => [];
  under: ((look: Look, room: number) => readonly string[]) | undefined;
  /** Called after each frame, for output off the screen such as the window title. */
  drawn: (look: Look) => void = () => {};
  pendingKey: string | undefined;
  placeholder = 'Ask Capstan to do anything';
  waiting: WaitingWords = noneWaiting;
  viewOpened: () => void = () => {};
  viewClosed: () => void = () => {};

  constructor({ terminal, look, isFull, reflows, marks, now, hosted }: TuiScreenOptions) {
    this.#terminal = terminal;
    this.#look = look;
    this.#now = now;
    const canBeFull = terminal.keepsScreen || hosted !== undefined;
    this.#screens = new InlineAndFullScreen({ terminal, isFull: isFull && canBeFull, reflows });
    this.#printed = new PrintedTranscript(this.transcript, marks);
    this.#scrolled = new ScrolledTranscript(this.transcript);
    this.#clock = new FrameClock(hosted ?? (() => this.#draw()));
    this.composer.changed = () => this.draw();
  }

  /** Call when Capstan has the terminal. */
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
  get isChoosing(): boolean {
    return this.#view !== undefined;
  }

  /** True if a list for the draft has room. Without a row it is not drawn, and takes no keys. */
  get hasListRoom(): boolean {
    return this.#terminal.rows > 1;
  }
  get pager(): View | undefined {
    return this.#pager;
  }
  get busy(): BusyState | undefined {
    return this.#busy;
  }

  set busy(busy: BusyState | undefined) {
    this.#busy = busy;
    this.#workChanged();
  }

  /** Shows the running command of the user instead of other work, because Esc ends it. */
  set shell(shell: BusyState | undefined) {
    this.#shell = shell;
    this.#workChanged();
  }

  /** Shows that the last turn failed and can be retried, while nothing runs. */
  set failed(failed: FailedTurn | undefined) {
    this.#failed = failed;
    this.#workChanged();
  }

  #workChanged(): void {
    this.#tick();
    this.draw();
  }

  /** Time of the first frame that showed no running work. Infinite while the current frame shows some. */
  get idleSince(): number {
    return this.#idleSince;
  }

  changeLook(change: Partial<ScreenLook>): void {
    this.#look = { ...this.#look, ...change };
    this.draw();
  }

  /** Draws soon, so that many changes make one frame. */
  draw(): void {
    if (!this.#isEnded) this.#clock.ask();
  }

  /** Draws a key's effect before anything that streams. */
  drawKey(): void {
    if (!this.#isEnded) this.#clock.echo();
  }

  drawNow(): void {
    this.#clock.now();
  }

  send(sequence: string): void {
    this.#terminal.write(sequence);
  }

  open(view: View | undefined): void {
    const isClosed = view === undefined && this.#view !== undefined;
    this.#view = view;
    this.draw();
    if (view !== undefined) this.viewOpened();
    if (isClosed) this.viewClosed();
  }

  /** Like `open`, for a question. An open view returns when the question is answered. */
  ask(view: View | undefined): void {
    this.#asked = view;
    this.draw();
  }

  openPager(pager: View | undefined): void {
    this.#screens.setPager(pager !== undefined);
    this.#pager = pager;
    this.draw();
    if (pager !== undefined) this.viewOpened();
  }

  switchMode(): Outcome | undefined {
    const refused = this.#screens.switchMode();
    if (refused === undefined) this.scrollToEnd();
    return refused;
  }

  scroll(rows: number): void {
    this.#scrolled.scroll(rows, this.look);
    this.draw();
  }

  scrollToEnd(): void {
    this.#scrolled.toEnd();
    this.draw();
  }

  get page(): number {
    return Math.max(1, this.#terminal.rows - 6);
  }

  resized(): void {
    this.#screens.resized();
    this.transcript.resized(this.look);
    this.#clock.now();
  }

  cameBack(): void {
    this.#screens.cameBack();
    this.#clock.now();
  }

  stepAside(): void {
    this.#screens.stepAside(() => this.transcript.takeFinished(this.look));
  }

  /** Restores the terminal. The last contents of a full screen go to the scrollback, with a summary below them. */
  end(summary: readonly string[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#clock.stop();
    const { look, transcript } = this;
    if (this.isFull) transcript.keepLast(look, this.#terminal.rows);
    this.#screens.end([...transcript.takeFinished(look), ...transcript.unfinishedRows(look)], summary);
  }

  wholeFrame(look: Look, height: number): Frame {
    return this.#pager?.frame(look, height) ?? this.#scrolled.frame(look, height, this.#bottom(look, height));
  }

  discard(): void {
    this.#isEnded = true;
    this.#clock.stop();
  }

  /** Creates a stage that this one shows as a view, with the same terminal and look. */
  within(): TuiScreen {
    const shared = { terminal: this.#terminal, look: this.#look, now: this.#now };
    return new TuiScreen({ ...shared, isFull: true, reflows: false, hosted: () => this.draw() });
  }

  get #running(): BusyState | undefined {
    return this.#shell ?? this.#busy;
  }
  get #state(): BottomRowsState {
    return { busy: this.#running, failed: this.#failed, background: this.background() };
  }

  /** Keeps times on the screen current while work runs or waits. */
  #tick(): void {
    const isWaiting = this.#failed?.opensAt !== undefined || this.background().agents > 0;
    const counts = (this.#running !== undefined || isWaiting) && this.#look.glyphs !== 'words';
    this.#clock.tick(counts ? 1000 : undefined);
  }

  #draw(): void {
    if (!this.#screens.isAside) this.#drawFrame();
    this.drawn(this.look);
  }

  #drawFrame(): void {
    // Agents end by themselves, so each frame checks if the screen must still count time.
    if (this.#running === undefined) this.#tick();
    const isWritten = this.#pager === undefined && this.#view === undefined;
    this.#screens.showCursor(isWritten ? this.composer.vim?.mode : undefined);
    const { rows: height } = this.#terminal;
    const { look, waiting } = this;
    if (this.#screens.hasWhole) return this.#screens.full.show(this.wholeFrame(look, height));
    if (this.#pager !== undefined) return this.#screens.inline.show([], this.#pager.frame(look, height));
    const { printed, live } = this.#printed.next(look, height, this.#bottom(look, height), { ...this.#state, waiting });
    this.#screens.inline.show(printed, live);
  }

  #bottom(look: Look, height: number): Frame {
    if (this.#running !== undefined) this.#idleSince = Infinity;
    else if (this.#idleSince === Infinity) this.#idleSince = look.now;
    return bottomFrame(this, this.#state, look, height);
  }
}

/** Minimum distance of frames for changes without a key: no more than a screen shows. */
const frameMs = 16;
/** Minimum distance of frames for keys: a flood, such as a paste in pieces, must not draw all the time. */
const keyFrameMs = 4;

/** Many changes make one frame, but the effect of a key never waits for the frame of streamed output. */
export class FrameClock {
  readonly #draw: () => void;
  /** Times of the last frame, and of the last one for a key. */
  #last = -frameMs;
  #lastKey = -keyFrameMs;
  #next: NodeJS.Timeout | undefined;
  #echo: NodeJS.Immediate | undefined;
  #isForKey = false;
  #ticking: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Requests a frame for a change without a key. */
  ask(): void {
    if (this.#next !== undefined || this.#echo !== undefined || this.#isStopped) return;
    this.#next = setTimeout(() => this.now(), Math.max(0, frameMs - (performance.now() - this.#last)));
  }

  /** Requests a frame for a key, once all input that came with it is read. */
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

  tick(milliseconds: number | undefined): void {
    clearInterval(this.#ticking);
    this.#ticking = milliseconds === undefined ? undefined : setInterval(() => this.ask(), milliseconds);
  }

  stop(): void {
    this.#isStopped = true;
    this.#forget();
    clearInterval(this.#ticking);
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

export const defaultScreenLook = (env: Environment, places: Pick<ScreenLook, 'cwd' | 'home'>): ScreenLook => ({
  ...places,
  colours: terminalColours(env),
  palette: 'ansi',
  glyphs: terminalGlyphs(env),
});

/** For a screen reader: words, and nothing that is drawn again. */
export const screenReaderLook = { glyphs: 'words', colours: 'none', motion: 'none' } as const;

/** `FORCE_COLOR` overrides `NO_COLOR`, as in Node. */
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
  // GNU screen misreads the parts of a full colour as styles. The variables may be those of the outer terminal.
  if (env['STY'] !== undefined && tmux === undefined) return byName;
  if (/truecolor|24bit/i.test(env['COLORTERM'] ?? '') || env['WT_SESSION'] !== undefined) return 'true';
  if (/direct|kitty|ghostty|alacritty|wezterm|^foot/.test(term)) return 'true';
  // Programs inside tmux inherit the variables of the terminal that tmux was started on.
  if (tmux === undefined && /^(?:iTerm\.app|WezTerm|ghostty|vscode)$/.test(program)) return 'true';
  return program === 'Apple_Terminal' ? '256' : byName;
}

/** ASCII if the console or the locale supports nothing else. Without a locale most terminals still use UTF-8. */
export function terminalGlyphs(env: Environment): 'unicode' | 'ascii' {
  const chosen = env['CAPSTAN_ASCII'] ?? '';
  if (chosen !== '') return chosen === '0' ? 'unicode' : 'ascii';
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return 'ascii';
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => (value ?? '') !== '') ?? '';
  return locale === '' || /utf-?8/i.test(locale) ? 'unicode' : 'ascii';
}
