import type { ThreadId } from '../../../protocol/ids.ts';
import type { Answer } from '../../../protocol/question.ts';
import { Fault, fullText, type Outcome } from '../../../protocol/outcome.ts';
import { errorWords } from '../../../protocol/error-words.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import { QuestionDesk } from '../views/question-desk.ts';
import { PagerView } from '../views/pager-view.ts';
import { findSlash, type SlashName } from '../views/slash-table.ts';
import { asMessage } from '../composer/command-draft.ts';
import { type Draft, draftOf } from '../composer/draft.ts';
import { ActOrder } from './act-order.ts';
import type { Conversation } from './conversation.ts';
import { draftDoors, type DraftDoors } from './draft-doors.ts';
import { endSummary } from './end-summary.ts';
import { EventEntries } from './event-entries.ts';
import { headerCell } from './header-cell.ts';
import { Notifier } from './notifier.ts';
import { openNewest } from './open-newest.ts';
import { mustWait } from './read-draft.ts';
import type { TuiStage } from './stage.ts';
import { ShownThread } from './shown-thread.ts';
import { StatusView } from './status-view.ts';
import type { Surroundings } from './surroundings.ts';
import { TranscriptRows } from './transcript-rows.ts';
import { ThreadReader } from './thread-reader.ts';
import { TurnFlow } from './turn-flow.ts';
import { userInputOf } from './user-input-of.ts';
import { UserShells } from './user-shells.ts';

export interface SessionParts {
  readonly stage: TuiStage;
  readonly surroundings: Surroundings;
  readonly engine: Engine;
  readonly threads: LiveThreads;
  quit(): void;
  now(): number;
  /** What the first thread has up to this place is on the stage already: it was watched before. */
  readonly shown?: number;
  /** It is asked beside another conversation, and is not kept. */
  readonly isSide?: true;
  /** Does what a command of the terminal says. */
  runSlash(session: TuiSession, name: SlashName, rest: string): Promise<void>;
}

/** How much of the past of a thread is put on the screen when it takes the place of another. */
type ShownPast = 'all' | 'end';

/** One conversation after the other, on the screen and with the engine behind it. */
export class TuiSession implements Conversation {
  readonly parts: SessionParts;
  readonly entries: EventEntries;
  readonly doors: DraftDoors;
  readonly flow: TurnFlow;
  readonly status: StatusView;
  readonly shells: UserShells;
  /** What the keyboard asks for. */
  readonly #acts = new ActOrder(() => this.flow.show());
  readonly #notifier: Notifier;
  readonly #desk: QuestionDesk;
  #thread: LiveThread;
  #reader: ThreadReader;

  constructor(parts: SessionParts, thread: LiveThread) {
    this.parts = parts;
    this.entries = new EventEntries(parts.stage.transcript, (outcome) => parts.engine.isNews(outcome));
    this.#thread = thread;
    this.doors = draftDoors({
      thread: () => this.#thread,
      engine: parts.engine,
      notice: (text, level) => this.notice(text, level),
    });
    const { stage, engine, surroundings, now } = parts;
    this.shells = new UserShells({
      stage,
      entries: this.entries,
      thread: () => this.#thread,
      now,
      told: (result) => this.#told(result),
    });
    this.flow = new TurnFlow({
      stage,
      now,
      thread: () => this.#thread,
      inputOf: (draft) => this.#inputOf(draft),
      notice: (text) => this.notice(text),
      told: (result) => this.#told(result),
      guard: (work) => void this.guard(work),
      shell: (command) => this.shells.run(command),
      slash: (name, rest) => this.#ordered(this.guard(parts.runSlash(this, name, rest))),
      broken: () => this.entries.broken(),
      later: () => this.#acts.later,
    });
    stage.viewOpened = () => this.#viewOpened();
    stage.viewClosed = () => this.flow.released();
    stage.background = () => this.#thread.sessions.length;
    this.#desk = new QuestionDesk({
      open: (view) => stage.ask(view),
      showWhole: (rows) =>
        stage.openPager(new PagerView({ title: 'What is asked', rows, close: () => stage.openPager(undefined) })),
      answer: (id, answer) => void this.guard(this.#answer(id, answer)),
      pause: surroundings.pause,
    });
    this.#notifier = new Notifier(surroundings, engine.tui);
    this.status = new StatusView({
      engine,
      surroundings,
      settings: engine.tui,
      thread: () => this.#thread,
      runState: () => (this.#desk.isAsking ? 'Waiting' : this.isBusy ? 'Working' : 'Ready'),
    });
    this.#reader = this.#read(thread, 'all', parts.shown);
    stage.footer = (look) => this.status.rows(look);
    stage.drawn = (look) => this.status.showTitle(look);
  }

  get thread(): LiveThread {
    return this.#thread;
  }

  get isBusy(): boolean {
    return this.flow.isBusy;
  }

  /** Shows the thread from its beginning, as far as it has one. `end`: only what fits the screen, without a header. */
  async begin({ shows = 'all' }: { readonly shows?: ShownPast | 'none' } = {}): Promise<void> {
    const { stage } = this.parts;
    const { transcript } = stage;
    if (shows === 'all') transcript.add({ cell: headerCell(this.#thread.settings), isFinal: true });
    for (const notice of [...this.parts.engine.notices, ...this.#thread.notices]) {
      // The question itself follows.
      const isAsked = notice.code === 'turn-suspended' && this.#thread.isSuspended;
      if (!isAsked && this.parts.engine.isNews(notice)) this.entries.outcome(notice, 'warning');
    }
    await Promise.all([this.#reader.caughtUp, this.status.refresh()]);
    // Asked again, by the turn that waits for the answer: a question alone has no diff.
    if (this.#thread.isSuspended) void this.guard(this.work('Waiting for your answer', () => this.#thread.continue()));
    else for (const question of this.#thread.questions) this.#desk.asked(question, undefined);
    stage.draw();
  }

  /** Another thread takes the place of this one. */
  async switchTo(thread: LiveThread, { shows = 'all' }: { readonly shows?: ShownPast } = {}): Promise<void> {
    // Their output is for the thread that the user leaves.
    this.shells.stopAll();
    this.#reader.close();
    this.#desk.clear();
    this.status.clear();
    this.parts.stage.plan = undefined;
    const before = this.#thread;
    this.#thread = thread;
    this.flow.switched();
    await before.leave();
    // What is said already stays in the scrollback.
    this.parts.stage.drawNow();
    this.parts.stage.transcript.clear();
    this.#reader = this.#read(thread, shows);
    await this.begin({ shows });
  }

  send(draft: Draft): void {
    this.#acts.do(draft, async () => {
      // It may be about what the user's command prints.
      const waits = this.shells.running.length > 0 && !this.isBusy && !this.canRetry;
      return waits ? this.queue(draft) : this.#sent(draft);
    });
  }

  queue(draft: Draft): void {
    this.flow.queue(draft);
  }

  get canInterrupt(): boolean {
    return this.isBusy || this.shells.running.length > 0;
  }

  get canRetry(): boolean {
    return this.flow.canRetry;
  }

  retry(): void {
    void this.guard(this.flow.retry());
  }

  takeQueued(): Draft | undefined {
    const draft = this.#acts.takeLast() ?? this.flow.waiting.takeLast();
    this.flow.show();
    return draft;
  }

  interrupt(then: 'send-steers' | 'give-back'): void {
    if (!this.shells.stopNewest()) void this.guard(this.flow.stop(then));
  }

  shell(command: string): void {
    if (command === '')
      return this.notice(
        'Type a command behind the !, for example !git status. It runs in your shell, and the model reads its output.',
      );
    this.#acts.do(draftOf(`!${command}`), async () => void this.guard(this.flow.hold(this.shells.run(command))));
  }

  slash(name: SlashName, rest: string): void {
    // Whatever hangs, the user can leave.
    if (name === 'quit' || name === 'exit') return void this.guard(this.parts.runSlash(this, name, rest));
    const draft = draftOf(rest === '' ? `/${name}` : `/${name} ${rest}`);
    this.#acts.do(draft, () => this.guard(this.#command(name, rest, draft)));
  }

  cycleMode(): void {
    if (this.isBusy) return this.notice('Plan mode can be switched when the turn has ended.');
    const isPlan = this.#thread.settings.collaboration?.mode === 'plan';
    this.#acts.during(this.guard(this.change({ collaboration: { mode: isPlan ? 'default' : 'plan' } })));
  }

  cyclePermissions(): void {
    const cycle = async (): Promise<void> => (await import('./choose-permissions.ts')).nextPermissions(this);
    this.#acts.during(this.guard(cycle()));
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

  showNewestDetails(): void {
    if (!openNewest(this.parts.stage)) this.notice('No line here has details.');
  }

  notice(text: string, level: 'info' | 'warning' | 'error' = 'info'): void {
    this.entries.notice(text, level);
    // A command that has something to say is seen, and may take long from there.
    this.#acts.tookEffect();
    this.parts.stage.draw();
  }

  /** Changes settings. Refused: the reason is shown. */
  async change(change: unknown): Promise<boolean> {
    const changed = await this.#thread.override(change);
    if (changed.kind === 'refused') this.#told(changed);
    this.parts.stage.draw();
    return changed.kind !== 'refused';
  }

  /** Something that a view asked for: what goes wrong with it is shown. */
  run(work: Promise<unknown>): void {
    void this.guard(work);
  }

  async compact(focus: string): Promise<void> {
    if (this.flow.isBusy) this.notice('The conversation is compacted before the next request of this turn.');
    await this.work('Compacting the conversation', () => this.#thread.compact(focus === '' ? {} : { focus }));
  }

  /** What it has come to, for the lines that stay on the screen. */
  summary(): readonly string[] {
    const { look } = this.parts.stage;
    return endSummary(this.#thread, look);
  }

  close(): void {
    this.shells.stopAll();
    this.#reader.close();
    this.#desk.clear();
    this.#notifier.clear();
    this.status.close();
  }

  /** Runs something that takes long, with a row that says so. */
  readonly work: TurnFlow['work'] = (header, run) => {
    this.#acts.tookEffect();
    return this.flow.work(header, run);
  };

  /** The same for work that is no turn of the thread. What interrupts a turn ends it, and messages wait for its end. */
  readonly workBeside: TurnFlow['workBeside'] = (header, run) => {
    this.#acts.tookEffect();
    return this.flow.workBeside(header, run);
  };

  readThread(id: ThreadId): ShownThread {
    const { stage, engine, threads, now } = this.parts;
    return new ShownThread(id, { engine, threads, now, changed: () => stage.draw() });
  }

  /** What a command says in the name of the user: it comes before what the user said since. */
  sendWords(words: string): void {
    void this.#sent(asMessage(draftOf(words)));
  }

  stepEffort(by: 1 | -1): void {
    this.#acts.during(this.guard(import('../commands/model.ts').then(({ stepEffort }) => stepEffort(this, by))));
  }

  stepAgent(by: 1 | -1): void {
    void this.guard(import('../commands/agents.ts').then(({ stepAgent }) => stepAgent(this, by)));
  }

  /** What a list or a view has begun: what goes wrong with it is shown, and what waits comes after it. */
  inBackground(work: Promise<unknown>): void {
    const held = this.guard(this.flow.hold(work));
    if (!this.isBusy) this.#acts.during(held);
  }

  /** Gives the draft to the thread. The promise is settled when the thread has it, and not when its turn is over. */
  #sent(draft: Draft): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.guard(this.flow.send(draft, resolve)).finally(resolve);
    return promise;
  }

  /** What was asked for behind a command that lets the user choose waits for the choice. */
  #viewOpened(): void {
    if (this.parts.stage.isChoosing && !this.isBusy) for (const draft of this.#acts.takeAll()) this.flow.queue(draft);
    this.#acts.tookEffect();
  }

  async #command(name: SlashName, rest: string, draft: Draft): Promise<void> {
    // Something may have begun since the user asked for it.
    if (!this.isBusy || findSlash(name)?.whileRunning === true) return this.parts.runSlash(this, name, rest);
    this.parts.stage.composer.giveBack(draft);
    this.notice(mustWait(name, this.parts.stage.look), 'error');
  }

  async #answer(id: string, answer: Answer): Promise<void> {
    // An agent that is stopped leaves the turn running.
    const isOfTurn = this.#thread.questions.find((each) => each.id === id)?.agent === undefined;
    if (answer.kind === 'stopped' && isOfTurn) await this.flow.holdSteers();
    this.#told(await this.#thread.answer(id, answer));
  }

  #ordered(work: Promise<void>): Promise<void> {
    this.#acts.during(work);
    return work;
  }

  #inputOf(draft: Draft) {
    const { takesPictures, settings } = this.#thread;
    const load = (source: string) => this.parts.engine.loadImage(source, settings.cwd);
    return userInputOf(draft, { takesPictures, model: settings.model, load });
  }

  /** `shown`: what stands up to this place is on the stage already. */
  #read(thread: LiveThread, shows: ShownPast = 'all', shown?: number): ThreadReader {
    const { stage, now } = this.parts;
    return new ThreadReader(
      thread,
      {
        stage,
        ...(shows === 'end' ? { mostReplayed: stage.page } : {}),
        entries: this.entries,
        now,
        asked: (question, item) => this.#desk.asked(question, item),
        answered: (id) => this.#desk.answered(id),
        said: (words) => this.flow.said(words),
        observe: (event, isNews) => {
          this.status.observe(event);
          if (isNews) this.#notifier.observe(event);
        },
        proposed: (plan) => void this.guard(this.#afterPlan(plan)),
        turnBegan: () => this.flow.turnBegan(),
        turnOver: () => {
          void this.guard(this.flow.turnOver());
          void this.guard(this.status.refresh().then(() => stage.draw()));
        },
      },
      shown,
    );
  }

  /** Asks what to do with a plan, unless something waits already. */
  async #afterPlan(plan: string): Promise<void> {
    const { pause } = this.parts.surroundings;
    const { id } = this.#thread;
    const isTyping = pause.wait > 0;
    await pause.quiet();
    const { waiting } = this.flow;
    const isWaited = waiting.queued.length > 0 || waiting.refused.length > 0;
    if (this.parts.isSide === true || isWaited || this.#thread.settings.collaboration?.mode !== 'plan') return;
    const { chooseAfterPlan } = await import('./after-plan.ts');
    // The user may have gone on meanwhile.
    if (this.#thread.id !== id || (isTyping && (this.isBusy || this.parts.stage.isChoosing))) return;
    chooseAfterPlan(this, plan, { pause, startAnew: () => this.parts.runSlash(this, 'new', '') });
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
