import { Fault, fullText, type Outcome } from '../../../protocol/outcome.ts';
import { errorWords } from '../../../protocol/error-words.ts';
import { words as userWords } from '../../../protocol/user-input.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineRefused } from '../../engine/engine-refused.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import { QuestionDesk } from '../views/question-desk.ts';
import { PagerView } from '../views/pager-view.ts';
import type { SlashName } from '../views/slash-table.ts';
import { drawRow } from '../text/draw-row.ts';
import { statusRow } from '../views/status-line.ts';
import type { Conversation } from './conversation.ts';
import { endSummary } from './end-summary.ts';
import { EventEntries } from './event-entries.ts';
import { headerCell } from './header-cell.ts';
import type { TuiStage } from './stage.ts';
import { TranscriptRows } from './transcript-rows.ts';
import { ThreadReader } from './thread-reader.ts';

export interface SessionParts {
  readonly stage: TuiStage;
  readonly engine: Engine;
  readonly threads: LiveThreads;
  quit(): void;
  now(): number;
  /** Does what a command of the terminal says. */
  runSlash(session: TuiSession, name: SlashName, rest: string): Promise<void>;
}

/** How much of the past of a thread is put on the screen when it takes the place of another. */
type ShownPast = 'all' | 'end';

/** One conversation after the other, on the screen and with the engine behind it. */
export class TuiSession implements Conversation {
  readonly parts: SessionParts;
  readonly entries: EventEntries;
  readonly #desk: QuestionDesk;
  #thread: LiveThread;
  #reader: ThreadReader;
  #queued: string[] = [];
  #steers: string[] = [];
  /** Turns and compactions that were asked for and have not ended. */
  #works = 0;
  #shellStop: AbortController | undefined;

  constructor(parts: SessionParts, thread: LiveThread) {
    this.parts = parts;
    this.entries = new EventEntries(parts.stage.transcript, (outcome) => parts.engine.isNews(outcome));
    this.#thread = thread;
    const { stage, now } = parts;
    this.#desk = new QuestionDesk({
      open: (view) => stage.open(view),
      showWhole: (rows) =>
        stage.openPager(new PagerView({ title: 'What is asked', rows, close: () => stage.openPager(undefined) })),
      answer: (id, answer) => void this.#guard(this.#thread.answer(id, answer).then((given) => this.#told(given))),
      now,
    });
    this.#reader = this.#read(thread);
    stage.footer = (look) => [
      drawRow(statusRow({ settings: this.#thread.settings, usage: this.#thread.usage() }, look), look),
    ];
  }

  get thread(): LiveThread {
    return this.#thread;
  }

  get isBusy(): boolean {
    return this.#works > 0 || this.#thread.turnId !== undefined;
  }

  /** Shows the thread from its beginning, as far as it has one. `end`: only what fits the screen, without a header. */
  async begin({ shows = 'all' }: { readonly shows?: ShownPast } = {}): Promise<void> {
    const { stage } = this.parts;
    const { transcript } = stage;
    if (shows === 'all') transcript.add({ cell: headerCell(this.#thread.settings), isFinal: true });
    for (const notice of [...this.parts.engine.notices, ...this.#thread.notices]) {
      if (this.parts.engine.isNews(notice)) this.entries.outcome(notice, 'warning');
    }
    await this.#reader.caughtUp;
    for (const question of this.#thread.questions) this.#desk.asked(question, undefined);
    stage.draw();
  }

  /** Another thread takes the place of this one. */
  async switchTo(thread: LiveThread, { shows = 'all' }: { readonly shows?: ShownPast } = {}): Promise<void> {
    this.#reader.close();
    this.#desk.clear();
    this.#queued = [];
    this.#steers = [];
    const before = this.#thread;
    this.#thread = thread;
    await before.leave();
    // What is said already stays in the scrollback.
    this.parts.stage.drawNow();
    this.parts.stage.transcript.clear();
    this.#reader = this.#read(thread, shows);
    await this.begin({ shows });
  }

  send(words: string): void {
    if (this.isBusy) void this.#guard(this.#steer(words));
    else void this.#guard(this.#turn(words));
  }

  queue(words: string): void {
    this.#queued.push(words);
    this.#showWaiting();
  }

  takeQueued(): string | undefined {
    const words = this.#queued.pop();
    this.#showWaiting();
    return words;
  }

  interrupt(): void {
    if (this.#shellStop !== undefined) this.#shellStop.abort();
    else void this.#guard(this.#thread.interrupt());
  }

  typed(): void {
    this.#desk.typed();
  }

  shell(command: string): void {
    if (command === '')
      return this.notice(
        'Type a command behind the !, for example !git status. It runs in your shell, and the model reads its output.',
      );
    void this.#guard(this.#runShell(command));
  }

  slash(name: SlashName, rest: string): void {
    void this.#guard(this.parts.runSlash(this, name, rest));
  }

  cycleMode(): void {
    if (this.isBusy) return this.notice('Plan mode can be switched when the turn has ended.');
    const isPlan = this.#thread.settings.collaboration?.mode === 'plan';
    void this.#guard(this.change({ collaboration: { mode: isPlan ? 'default' : 'plan' } }));
  }

  showTranscript(): void {
    const { stage, now } = this.parts;
    const { transcript } = stage;
    const rows = new TranscriptRows(transcript, { now, redraw: () => stage.draw() });
    const close = (): void => stage.openPager(undefined);
    const goBack = (): void => {
      close();
      if (!this.isBusy) this.slash('rewind', '');
    };
    stage.openPager(
      new PagerView({
        title: 'Transcript',
        drawMore: (look) => rows.drawMore(look),
        rows: (look) => rows.rows(look),
        stops: (look) => rows.stops(look),
        startsAtEnd: true,
        escape: { does: 'goes back to a message', run: goBack },
        close,
      }),
    );
  }

  notice(text: string, level: 'info' | 'warning' | 'error' = 'info'): void {
    this.entries.notice(text, level);
    this.parts.stage.draw();
  }

  /** Changes settings. Refused: the reason is shown. */
  async change(change: unknown): Promise<boolean> {
    const changed = await this.#thread.override(change);
    if (changed.kind === 'refused') this.#told(changed);
    this.parts.stage.draw();
    return changed.kind !== 'refused';
  }

  async compact(focus: string): Promise<void> {
    await this.work('Compacting the conversation', () => this.#thread.compact(focus === '' ? {} : { focus }));
  }

  /** What it has come to, for the lines that stay on the screen. */
  summary(): readonly string[] {
    const { look } = this.parts.stage;
    return endSummary(this.#thread, look);
  }

  close(): void {
    this.#reader.close();
    this.#desk.clear();
  }

  async #turn(words: string): Promise<void> {
    const { composer } = this.parts.stage;
    let result: Awaited<ReturnType<LiveThread['submit']>> | undefined;
    try {
      result = await this.work('Working', () => this.#thread.submit({ input: userWords(words) }));
    } finally {
      // What the thread did not take is not lost.
      if (result === undefined || result.kind === 'refused') composer.giveBack(words);
    }
    this.#next();
  }

  /** Runs something that takes long, with a row that says so. */
  async work<Result extends { readonly kind: string }>(
    header: string,
    run: () => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused | undefined> {
    const { stage, now } = this.parts;
    this.#works++;
    stage.busy ??= { header, since: now() };
    try {
      const result = await run();
      if (result.kind === 'refused' && 'outcome' in result) this.#told(result);
      return result;
    } finally {
      this.#works--;
      if (this.#works === 0) stage.busy = undefined;
    }
  }

  async #steer(words: string): Promise<void> {
    this.#steers.push(words);
    this.#showWaiting();
    const steered = await this.#thread.steer({ input: userWords(words) });
    if (steered.kind !== 'refused') return;
    this.#steerRead(words);
    // The turn has ended meanwhile, or takes no words: they get a turn of their own.
    if (steered.outcome.code === 'no-active-turn') return this.#works > 0 ? this.queue(words) : this.#turn(words);
    this.#told(steered);
    this.parts.stage.composer.giveBack(words);
  }

  async #runShell(command: string): Promise<void> {
    const { stage, now } = this.parts;
    const stop = new AbortController();
    this.#shellStop = stop;
    const shown = this.entries.shell(command, now());
    stage.draw();
    try {
      const ran = await this.#thread.shell({
        command,
        signal: stop.signal,
        output: (bytes) => {
          shown.output(Buffer.from(bytes).toString());
          stage.draw();
        },
      });
      if (ran.kind === 'refused') this.#told(ran);
      shown.end(ran.kind === 'ran' ? ran : undefined);
    } finally {
      this.#shellStop = undefined;
      stage.draw();
    }
  }

  /** What waits for a turn of its own gets one, as long as no list is open. */
  #next(): void {
    if (this.isBusy || this.#queued.length === 0) return;
    const [words = '', ...rest] = this.#queued;
    this.#queued = rest;
    this.#showWaiting();
    void this.#guard(this.#turn(words));
  }

  #read(thread: LiveThread, shows: ShownPast = 'all'): ThreadReader {
    const { stage, now } = this.parts;
    return new ThreadReader(thread, {
      stage,
      ...(shows === 'end' ? { mostReplayed: stage.page } : {}),
      entries: this.entries,
      now,
      asked: (question, item) => this.#desk.asked(question, item),
      answered: (id) => this.#desk.answered(id),
      said: (words) => this.#steerRead(words),
      turnOver: () => {
        this.#steers = [];
        this.#showWaiting();
      },
    });
  }

  #steerRead(words: string): void {
    const at = this.#steers.indexOf(words);
    if (at !== -1) this.#steers.splice(at, 1);
    this.#showWaiting();
  }

  #showWaiting(): void {
    const { stage } = this.parts;
    stage.waiting = { steers: [...this.#steers], queued: [...this.#queued] };
    stage.draw();
  }

  #told(result: { readonly kind: string; readonly outcome?: Outcome }): void {
    if (result.kind === 'refused' && result.outcome !== undefined) this.notice(fullText(result.outcome), 'error');
  }

  /** For what views and lists begin. */
  guard(work: Promise<unknown>): Promise<void> {
    return this.#guard(work);
  }

  /** Nothing that goes wrong with one wish ends the terminal. */
  async #guard(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const text = error instanceof Fault ? fullText({ message: error.message, next: error.next }) : errorWords(error);
      this.notice(text, 'error');
    }
  }
}
