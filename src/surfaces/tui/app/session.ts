import { Fault, fullText, type Outcome } from '../../../protocol/outcome.ts';
import { errorWords } from '../../../protocol/error-words.ts';
import type { Engine } from '../../engine/engine.ts';
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
import { ThreadReader } from './thread-reader.ts';
import { TurnFlow } from './turn-flow.ts';
import type { QueuedDraft } from './waiting-messages.ts';

export interface SessionParts {
  readonly stage: TuiStage;
  readonly engine: Engine;
  readonly threads: LiveThreads;
  quit(): void;
  now(): number;
  /** Does what a command of the terminal says. */
  runSlash(session: TuiSession, name: SlashName, rest: string): Promise<void>;
}

/** One conversation after the other, on the screen and with the engine behind it. */
export class TuiSession implements Conversation {
  readonly parts: SessionParts;
  readonly entries: EventEntries;
  readonly flow: TurnFlow;
  readonly #desk: QuestionDesk;
  #thread: LiveThread;
  #reader: ThreadReader;
  #shellStop: AbortController | undefined;

  constructor(parts: SessionParts, thread: LiveThread) {
    this.parts = parts;
    this.entries = new EventEntries(parts.stage.transcript, (outcome) => parts.engine.isNews(outcome));
    this.#thread = thread;
    const { stage, now } = parts;
    this.flow = new TurnFlow({
      stage,
      now,
      thread: () => this.#thread,
      notice: (text) => this.notice(text),
      told: (result) => this.#told(result),
      guard: (work) => void this.guard(work),
      shell: (command) => this.#runShell(command),
      slash: (name, rest) => this.guard(parts.runSlash(this, name, rest)),
    });
    stage.viewClosed = () => this.flow.next();
    stage.background = () => this.#thread.sessions.length;
    this.#desk = new QuestionDesk({
      open: (view) => stage.ask(view),
      showWhole: (rows) =>
        stage.openPager(new PagerView({ title: 'What is asked', rows, close: () => stage.openPager(undefined) })),
      answer: (id, answer) => void this.guard(this.#thread.answer(id, answer).then((given) => this.#told(given))),
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
    return this.flow.isBusy;
  }

  /** Shows the thread from its beginning, as far as it has one. */
  async begin(): Promise<void> {
    const { stage } = this.parts;
    const { transcript } = stage;
    transcript.add({ cell: headerCell(this.#thread.settings), isFinal: true });
    for (const notice of [...this.parts.engine.notices, ...this.#thread.notices]) {
      // The question itself follows.
      const isAsked = notice.code === 'turn-suspended' && this.#thread.isSuspended;
      if (!isAsked && this.parts.engine.isNews(notice)) this.entries.outcome(notice, 'warning');
    }
    await this.#reader.caughtUp;
    // Asked again, by the turn that waits for the answer: a question alone has no diff.
    if (this.#thread.isSuspended) void this.guard(this.work('Waiting for your answer', () => this.#thread.continue()));
    else for (const question of this.#thread.questions) this.#desk.asked(question, undefined);
    stage.draw();
  }

  /** Another thread takes the place of this one. */
  async switchTo(thread: LiveThread): Promise<void> {
    this.#reader.close();
    this.#desk.clear();
    this.parts.stage.plan = undefined;
    const before = this.#thread;
    this.#thread = thread;
    await before.leave();
    this.#reader = this.#read(thread);
    await this.begin();
  }

  send(words: string): void {
    void this.guard(this.flow.send(words));
  }

  queue(draft: QueuedDraft): void {
    this.flow.queue(draft);
  }

  get canRetry(): boolean {
    return this.flow.canRetry;
  }

  retry(): void {
    void this.guard(this.flow.retry());
  }

  takeQueued(): string | undefined {
    const draft = this.flow.waiting.takeLast();
    this.flow.show();
    return draft?.words;
  }

  interrupt(then: 'send-steers' | 'give-back'): void {
    if (this.#shellStop !== undefined) this.#shellStop.abort();
    else void this.guard(this.flow.stop(then));
  }

  typed(): void {
    this.#desk.typed();
  }

  shell(command: string): void {
    if (command === '')
      return this.notice(
        'Type a command behind the !, for example !git status. It runs in your shell, and the model reads its output.',
      );
    void this.guard(this.#runShell(command));
  }

  slash(name: SlashName, rest: string): void {
    void this.guard(this.parts.runSlash(this, name, rest));
  }

  cycleMode(): void {
    if (this.isBusy) return this.notice('Plan mode can be switched when the turn has ended.');
    const isPlan = this.#thread.settings.collaboration?.mode === 'plan';
    void this.guard(this.change({ collaboration: { mode: isPlan ? 'default' : 'plan' } }));
  }

  cyclePermissions(): void {
    const cycle = async (): Promise<void> => (await import('./choose-permissions.ts')).nextPermissions(this);
    void this.guard(cycle());
  }

  showTranscript(): void {
    const { stage } = this.parts;
    const { transcript } = stage;
    const rows = (look: Parameters<typeof transcript.wholeRows>[0]) => transcript.wholeRows(look);
    stage.openPager(
      new PagerView({ title: 'Transcript', rows, startsAtEnd: true, close: () => stage.openPager(undefined) }),
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

  /** Runs something that takes long, with a row that says so. */
  readonly work: TurnFlow['work'] = (header, run) => this.flow.work(header, run);

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

  #read(thread: LiveThread): ThreadReader {
    const { stage, now } = this.parts;
    return new ThreadReader(thread, {
      stage,
      entries: this.entries,
      now,
      asked: (question, item) => this.#desk.asked(question, item),
      answered: (id) => this.#desk.answered(id),
      said: (words) => this.flow.said(words),
      proposed: (plan) => void this.guard(this.#afterPlan(plan)),
      turnBegan: () => this.flow.turnBegan(),
      turnOver: () => void this.guard(this.flow.turnOver()),
    });
  }

  /** Asks what to do with a plan, unless something waits already. */
  async #afterPlan(plan: string): Promise<void> {
    const { waiting } = this.flow;
    const isWaited = waiting.queued.length > 0 || waiting.refused.length > 0;
    if (isWaited || this.#thread.settings.collaboration?.mode !== 'plan') return;
    (await import('./after-plan.ts')).chooseAfterPlan(this, plan);
  }

  #told(result: { readonly kind: string; readonly outcome?: Outcome }): void {
    if (result.kind === 'refused' && result.outcome !== undefined) this.notice(fullText(result.outcome), 'error');
  }

  /** Nothing that goes wrong with one wish ends the terminal. */
  async guard(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const text = error instanceof Fault ? fullText({ message: error.message, next: error.next }) : errorWords(error);
      this.notice(text, 'error');
    }
  }
}
