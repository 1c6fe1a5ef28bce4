import type { SettingsChange } from '../../../envelope/override-fields.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import type { Draft } from '../composer/draft.ts';
import type { SlashName } from '../views/slash-table.ts';
import type { AskedWorks } from './asked-works.ts';
import { BesideCost } from './beside-cost.ts';
import { draftDoors, type DraftDoors } from './draft-doors.ts';
import { KeptQueue } from './kept-queue.ts';
import { endSummary } from './end-summary.ts';
import { runningAgents, stoppedAgentsWords } from './running-agents.ts';
import { EventEntries } from './event-entries.ts';
import { guardWork } from './guard-work.ts';
import { afterProposedPlan } from './proposed-plan.ts';
import type { TuiStage } from './stage.ts';
import { type ShownPast, StagedThread } from './staged-thread.ts';
import { ShownThread } from './shown-thread.ts';
import { StatusView } from './status-view.ts';
import type { Surroundings } from './surroundings.ts';
import { TurnFlow } from './turn-flow.ts';
import { UserActs } from './user-acts.ts';
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
  /** Another program writes the thread of the conversation: asks the user what to do. */
  regain(session: TuiSession): Promise<void>;
}

/** One conversation after the other, on the screen and with the engine behind it. */
export class TuiSession {
  readonly parts: SessionParts;
  readonly entries: EventEntries;
  readonly doors: DraftDoors;
  readonly flow: TurnFlow;
  readonly status: StatusView;
  readonly shells: UserShells;
  /** What the keyboard asks for. */
  readonly acts = new UserActs(this);
  /** What it has cost beside its thread. */
  readonly beside = new BesideCost();
  readonly #staged: StagedThread;
  readonly #kept: KeptQueue;

  constructor(parts: SessionParts, first: LiveThread) {
    const { stage, engine, surroundings, now } = parts;
    const thread = (): LiveThread => this.thread;
    const told = (result: { readonly kind: string; readonly outcome?: Outcome }): void => this.#told(result);
    const run = (work: Promise<unknown>): void => this.run(work);
    this.parts = parts;
    this.entries = new EventEntries(stage.transcript, (outcome) => engine.recordIfNews(outcome));
    const { entries } = this;
    this.doors = draftDoors({ thread, engine, notice: (text, level) => this.notice(text, level) });
    this.#kept = new KeptQueue({
      files: engine.user.queuedMessages(),
      notice: (text, level) => this.notice(text, level),
    });
    this.shells = new UserShells({ stage, entries, thread, now, told });
    this.flow = new TurnFlow({
      stage,
      now,
      thread,
      inputOf: (draft) => this.#inputOf(draft),
      notice: (text) => this.notice(text),
      told,
      guard: run,
      shell: (command) => this.shells.run(command),
      slash: (name, rest) => this.#ordered(this.guard(this.runSlash(name, rest))),
      broken: () => entries.broken(),
      later: () => this.acts.later,
      keep: (waiting) => this.#kept.save(waiting),
    });
    stage.viewOpened = () => this.acts.viewOpened();
    stage.viewClosed = () => this.flow.released();
    this.status = new StatusView({
      engine,
      surroundings,
      settings: engine.config.tui,
      thread,
      runState: () => (this.#staged.isAsking ? 'Waiting' : this.isBusy ? 'Working' : 'Ready'),
    });
    const { flow, status, work } = this;
    const proposed = (plan: string): void => run(afterProposedPlan(this, plan));
    const staged = { stage, surroundings, engine, entries, flow, status, now, work, run, told, proposed };
    this.#staged = new StagedThread(first, staged, parts.shown);
    stage.background = () => ({
      commands: this.thread.sessions.length,
      agents: runningAgents(parts.threads, this.thread).length,
    });
    stage.footer = (look) => this.status.rows(look);
    stage.drawn = (look) => this.status.showTitle(look);
  }

  get thread(): LiveThread {
    return this.#staged.live;
  }

  get isBusy(): boolean {
    return this.flow.isBusy;
  }

  /** Shows the thread from its beginning, as far as it has one. `end`: only what fits the screen, without a header. */
  async begin({ shows = 'all' }: { readonly shows?: ShownPast | 'none' } = {}): Promise<void> {
    await this.#staged.begin(shows);
    this.#requeue();
  }

  /** Another thread takes the place of this one. */
  async switchTo(
    thread: LiveThread,
    { shows = 'all', goesBack = false }: { readonly shows?: ShownPast; readonly goesBack?: boolean } = {},
  ): Promise<void> {
    // To the user, one that goes on from before a message is the same conversation.
    if (goesBack) this.beside.add(thread.usage().total, this.thread.usage().total);
    else this.beside.clear();
    // Their output is for the thread that the user leaves.
    this.shells.stopAll();
    await this.#staged.switchTo(thread, shows);
    this.#requeue();
  }

  /** What waited for the thread when a process ended waits again. */
  #requeue(): void {
    if (this.parts.isSide === true) return;
    const drafts = this.#kept.open(this.thread.id);
    this.flow.requeue(drafts);
    if (drafts.length === 0) return;
    const which = drafts.length === 1 ? 'A message' : `${drafts.length} messages`;
    const follows = drafts.length === 1 ? 'It follows' : 'They follow';
    this.notice(
      `${which} from before ${drafts.length === 1 ? 'waits' : 'wait'} again. ${follows} the next message that you send; /queue shows the queue.`,
    );
  }

  queue(draft: Draft): void {
    this.flow.queue(draft);
  }

  interrupt(then: 'send-steers' | 'give-back'): void {
    if (!this.shells.stopNewest()) this.run(this.flow.stop(then));
  }

  notice(text: string, level: 'info' | 'warning' | 'error' = 'info'): void {
    this.entries.notice(text, level);
    // A command that has something to say is seen, and may take long from there.
    this.acts.tookEffect();
    this.parts.stage.draw();
  }

  /** Shows why the thread took something not. Where another program writes it, the user is asked what to do. */
  refused(outcome: Outcome): void {
    if (outcome.code !== 'thread-locked') return this.notice(fullText(outcome), 'error');
    this.inBackground(this.parts.regain(this));
  }

  /** Changes settings. Refused: the reason is shown. */
  async change(change: SettingsChange): Promise<boolean> {
    const changed = await this.thread.override(change);
    if (changed.kind === 'refused') this.#told(changed);
    this.parts.stage.draw();
    return changed.kind !== 'refused';
  }

  async compact(focus: string): Promise<void> {
    if (this.thread.place === undefined && !this.flow.isBusy) return this.notice('Nothing to compact yet.');
    if (this.flow.isBusy) this.notice('The conversation is compacted before the next request of this turn.');
    const done = await this.work('Compacting the conversation', () =>
      this.thread.compact(focus === '' ? {} : { focus }),
    );
    // No event tells of what did not begin.
    if (done?.kind === 'failed' && done.outcome.code === 'nothing-to-compact') this.notice(done.outcome.message);
  }

  /** What it has come to, for the lines that stay on the screen. */
  async summary(): Promise<readonly string[]> {
    const { engine, threads, stage } = this.parts;
    const stopped = await stoppedAgentsWords(engine, threads, this.thread);
    return endSummary(this.thread, { beside: this.beside.spent, stopped, waiting: this.#kept.count }, stage.look);
  }

  close(): void {
    this.#kept.close();
    this.shells.stopAll();
    this.#staged.close();
    this.status.close();
  }

  /** Runs something that takes long, with a row that says so. */
  readonly work: AskedWorks['run'] = (header, run) => {
    this.acts.tookEffect();
    return this.flow.runOther(header, run);
  };

  /** The same for work that is no turn of the thread. What interrupts a turn ends it, and messages wait for its end. */
  readonly workBeside: AskedWorks['runBeside'] = (header, run) => {
    this.acts.tookEffect();
    return this.flow.works.runBeside(header, run);
  };

  readThread(id: ThreadId): ShownThread {
    const { stage, engine, threads, now } = this.parts;
    return new ShownThread(id, { engine, threads, now, changed: () => stage.draw() });
  }

  /** Does what a command of the terminal says. */
  runSlash(name: SlashName, rest: string): Promise<void> {
    return this.parts.runSlash(this, name, rest);
  }

  sendWords(words: string): void {
    this.acts.sendWords(words);
  }

  /** What a list or a view has begun: what goes wrong with it is shown, and what waits comes after it. */
  inBackground(work: Promise<unknown>): void {
    const held = this.guard(this.flow.hold(work));
    if (!this.isBusy) this.acts.during(held);
  }

  /** Something that a view asked for: what goes wrong with it is shown. */
  run(work: Promise<unknown>): void {
    void this.guard(work);
  }

  /** The same, for one who waits until it is over. */
  guard(work: Promise<unknown>): Promise<void> {
    return guardWork(work, (text, level) => this.notice(text, level));
  }

  #ordered(work: Promise<void>): Promise<void> {
    this.acts.during(work);
    return work;
  }

  #inputOf(draft: Draft) {
    const { takesPictures, settings } = this.thread;
    const load = (source: string) => this.parts.engine.loadImage(source, settings.cwd);
    return userInputOf(draft, { takesPictures, model: settings.model, load });
  }

  #told(result: { readonly kind: string; readonly outcome?: Outcome }): void {
    if (result.kind === 'refused' && result.outcome !== undefined) this.refused(result.outcome);
  }
}
