import { defined } from '../../../base/objects.ts';
import { engineRefused } from '../../../engine/engine-refused.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import { failureWords } from '../../../engine/models/failure-words.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { CommandSession } from '../commands/command-session.ts';
import type { SlashName } from '../commands/slash-commands.ts';
import { draftMessageText, joinAll, parseDraft } from '../draft/draft-message.ts';
import { type Draft, draftFromText } from '../draft/draft.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import type { TerminalContext } from '../session/terminal-context.ts';
import { SteeringMessages, type SteeringMessagesParts, WaitingMessages } from './message-queue.ts';
import { RunningWork, type RunningWorkEnd, type RunningWorkParts } from './running-work.ts';

export interface FlowParts extends Omit<RunningWorkParts, 'ended'>, Omit<SteeringMessagesParts, 'waiting' | 'changed'> {
  notice(text: string): void;
  /** Shows what goes wrong with something that no caller waits for. */
  guard(work: Promise<unknown>): void;
  shell(command: string): Promise<void>;
  slash(name: SlashName, rest: string): Promise<void>;
  /** What the user asked for and has not begun yet. */
  later(): readonly Draft[];
  /** Keeps what waits, in order, for a process that comes after this one. */
  keep(waiting: readonly Draft[]): void;
}

/** What the turn that failed was asked. `isSaid`: it is in the conversation. */
interface FailedDraft {
  readonly draft: Draft;
  readonly isSaid: boolean;
}

/** What follows what: turns, words for the turn that runs, and what waits for their end. */
export class TurnFlow {
  readonly waiting = new WaitingMessages();
  readonly works: RunningWork;
  readonly #parts: FlowParts;
  readonly #steered: SteeringMessages;
  /** How much runs that is no turn and comes before what waits. */
  #holds = 0;
  /** Of these, commands of the user's shell: they leave the thread as it is. */
  #shells = 0;
  /** What ran last failed in a way in which the next turn would fail, too. What waits does so until a turn is asked for. */
  #isStuck = false;
  /** Messages of an earlier process wait. Nothing of the queue is sent until the user asks for a turn. */
  #isGivenBack = false;
  /** What a turn was asked, while it has not entered the conversation. */
  #unsaid: Draft | undefined;
  #failed: FailedDraft | undefined;

  constructor(parts: FlowParts) {
    this.#parts = parts;
    this.works = new RunningWork({ ...parts, ended: (end, isStopped) => this.#ended(end, isStopped) });
    this.#steered = new SteeringMessages({ ...parts, waiting: this.waiting, changed: () => this.show() });
  }

  get isBusy(): boolean {
    return !this.works.isNone || this.#parts.thread().turnId !== undefined;
  }

  /** The last turn failed, and nothing was asked for since. */
  get canRetry(): boolean {
    return this.#failed !== undefined && !this.isBusy && this.#holds === this.#shells;
  }

  /** Settled when its turn has ended, or when the turn that runs has it. `taken`: the thread has been asked for a turn. */
  send(draft: Draft, taken: () => void): Promise<void> {
    return this.isBusy ? this.#steer(draft) : this.#turn(draft, taken);
  }

  queue(draft: Draft): void {
    this.waiting.queue(draft);
    this.show();
  }

  /** Messages that waited when an earlier process ended. They stand before those that wait now. */
  requeue(drafts: readonly Draft[]): void {
    if (drafts.length === 0) return this.show();
    this.#isGivenBack = true;
    this.waiting.queueFirst(drafts);
    this.show();
  }

  /** The turn that failed, once more. What the conversation has of it is not said again. */
  async retry(): Promise<void> {
    const failed = this.#failed;
    if (failed === undefined || !this.canRetry) return;
    if (!failed.isSaid) return this.#turn(failed.draft);
    this.#forgetFailure();
    this.#isGivenBack = false;
    const result = await this.works.run('Working', () => this.#parts.thread().retry());
    if (result?.kind === 'failed' && !this.isBusy) this.#setFailed(failed, result.outcome);
  }

  /** Work that is no turn, such as a compaction. If the next turn would fail like it, the user reads why the queue waits. */
  readonly runOther: RunningWork['run'] = async (header, run) => {
    const { notice, now } = this.#parts;
    const result = await this.works.run(header, run);
    const end: RunningWorkEnd = result;
    if (this.#holdsQueue && end?.outcome !== undefined) {
      const { what, next } = failureWords(end.outcome, now());
      notice(
        `The queue waits: its first message would fail in the same way. ${what} ${next} The next message that you send is tried, and the queue follows it.`,
      );
    }
    return result;
  };

  /** Another thread takes the place of this one. What is queued is for that one. */
  switched(): void {
    for (const steer of this.waiting.steers) this.waiting.dropSteer(steer);
    this.#unsaid = undefined;
    this.#forgetFailure();
    this.show();
  }

  /** The thread has a past. A turn that failed at its end can be tried again here, too. */
  resumed(failure: TurnFailure | undefined): void {
    if (failure === undefined || this.#failed !== undefined || this.isBusy) return;
    const { outcome, at = this.#parts.now() } = failure;
    this.#setFailed({ draft: draftFromText(''), isSaid: true }, outcome, at);
  }

  /** Ends what runs. What it has not read is taken back first: it is sent then, or stands in the composer. */
  async stop(then: 'send-steers' | 'give-back'): Promise<void> {
    // Until it is known what comes back, the end of what runs lets nothing go.
    this.#holds++;
    const steers = await this.works.stop(() => this.#steered.takeBack()).finally(() => void this.#holds--);
    const unread = joinAll(steers);
    if (then === 'send-steers' && unread !== undefined) return this.#turn(unread);
    this.#giveBack([...steers, ...this.waiting.takeBack()]);
    this.next();
  }

  /** The user is about to end the turn by an answer: what it has not read comes back with all else that waits. */
  async holdSteers(): Promise<void> {
    for (const draft of await this.#steered.takeBack()) this.waiting.refuse(draft);
    this.show();
  }

  /** Words of the user are in the conversation. */
  said(words: string): void {
    if (this.#unsaid !== undefined && words === draftMessageText(this.#unsaid)) this.#unsaid = undefined;
    this.waiting.read(words);
    this.show();
  }

  /** A turn has begun: words that came before it may be for it. */
  turnBegan(): void {
    this.#parts.guard(this.#steerAll(this.waiting.takeRefused()));
  }

  /** A turn has ended. Words for it that it did not read come back. */
  async turnOver(): Promise<void> {
    if (this.waiting.steers.length > 0) this.#giveBack(await this.#steered.takeBack());
    this.next();
  }

  /** The first of those that wait, unless something runs, the user chooses something, or its turn would fail. */
  next(): void {
    const { stage, notice, guard } = this.#parts;
    if (!this.works.isNone || this.#holds > 0 || this.#isStuck || this.#isGivenBack || stage.isChoosing) return;
    const refused = joinAll(this.waiting.takeRefused());
    const draft = refused === undefined ? this.waiting.takeFirst() : undefined;
    const meant = draft && parseDraft(draft);
    // Kept until the thread has it.
    this.#unsaid = refused ?? (meant?.kind === 'message' ? meant.draft : this.#unsaid);
    this.show();
    if (refused !== undefined) return guard(this.#turn(refused));
    if (draft === undefined || meant === undefined) return;
    switch (meant.kind) {
      case 'message':
        return guard(this.#turn(meant.draft));
      case 'refused':
        stage.composer.giveBack(draft);
        notice(meant.why);
        return this.next();
      case 'shell':
        return guard(this.holdForShell(this.#parts.shell(meant.command)));
      case 'slash':
        return guard(this.hold(this.#parts.slash(meant.command.name, meant.rest)));
    }
  }

  /** What waits comes after this. */
  async hold(work: Promise<unknown>): Promise<void> {
    this.#holds++;
    try {
      await work;
    } finally {
      this.#holds--;
      if (!this.isBusy) this.next();
    }
  }

  /** The same for a command of the user's shell: the turn that failed can be tried again meanwhile. */
  async holdForShell(work: Promise<unknown>): Promise<void> {
    this.#shells++;
    await this.hold(work.finally(() => void this.#shells--));
  }

  /** The user has closed a view. What was chosen in it begins first. */
  released(): void {
    queueMicrotask(() => {
      if (!this.isBusy) this.next();
    });
  }

  show(): void {
    const { stage, keep } = this.#parts;
    const { steers, refused, queued } = this.waiting;
    // What is being sent is not lost before the thread has it.
    keep([...(this.#unsaid === undefined ? [] : [this.#unsaid]), ...refused, ...queued]);
    stage.waiting = {
      steers: steers.map(({ draft }) => draft.text),
      refused: [...refused, ...this.#parts.later()].map(({ text }) => text),
      queued: queued.map(({ text }) => text),
    };
    stage.draw();
  }

  #ended(end: RunningWorkEnd, isStopped: boolean): void {
    // A refusal says nothing about the next turn.
    if (end?.kind !== 'refused') this.#isStuck = isLasting(end, this.#parts.now());
    if (isStopped) return;
    if (end?.kind === 'aborted') this.#giveBack(this.waiting.takeBack());
    else this.next();
  }

  async #turn(draft: Draft, taken: () => void = () => {}): Promise<void> {
    const { stage, thread, inputOf } = this.#parts;
    this.#forgetFailure();
    this.#isGivenBack = false;
    this.#unsaid = draft;
    let result: Awaited<ReturnType<LiveThread['submit']>> | undefined;
    try {
      result = await this.works.run('Working', async () => {
        const input = await inputOf(draft);
        const submitted = 'code' in input ? engineRefused(input) : thread().submit({ input });
        taken();
        return submitted;
      });
    } finally {
      // What the thread did not take is not lost. What it has said is not said twice.
      const isTaken = result !== undefined && result.kind !== 'refused';
      if (!isTaken && this.#unsaid === draft) {
        this.#unsaid = undefined;
        stage.composer.giveBack(draft);
        this.show();
      }
    }
    const isSaid = this.#unsaid !== draft;
    if (result?.kind !== 'failed' || this.isBusy) return;
    this.#setFailed({ draft, isSaid }, result.outcome);
  }

  #forgetFailure(): void {
    this.#failed = undefined;
    this.#isStuck = false;
    this.#parts.stage.failed = undefined;
  }

  #setFailed(failed: FailedDraft, outcome: Outcome, at = this.#parts.now()): void {
    const { stage } = this.#parts;
    this.#failed = failed;
    const { opensAt } = failureWords(outcome, at);
    stage.failed = { ...defined({ opensAt }), holdsQueue: this.#holdsQueue };
  }

  get #holdsQueue(): boolean {
    return this.#isStuck && this.waiting.queued.length + this.waiting.refused.length > 0;
  }

  async #steerAll(drafts: readonly Draft[]): Promise<void> {
    for (const draft of drafts) await this.#steer(draft);
  }

  async #steer(draft: Draft): Promise<void> {
    // It does not overtake what was not taken before it.
    if (this.waiting.refused.length > 0) {
      this.waiting.refuse(draft);
      return this.show();
    }
    if ((await this.#steered.steer(draft)) === 'done') return;
    if (this.works.isNone) return this.#turn(draft);
    this.waiting.refuse(draft);
    this.show();
  }

  #giveBack(drafts: readonly Draft[]): void {
    const draft = joinAll(drafts);
    if (draft !== undefined) this.#parts.stage.composer.giveBack(draft);
    this.show();
  }
}

/** Whether the next turn would fail in the same way. */
function isLasting(end: RunningWorkEnd, now: number): boolean {
  return end?.kind === 'failed' && end.outcome !== undefined && failureWords(end.outcome, now).isLasting;
}

/** Why the last turn of a thread failed, and when. */
interface TurnFailure {
  readonly outcome: Outcome;
  /** Undefined: a file does not say it. */
  readonly at: number | undefined;
}

/** Whether a thread ends with a turn that failed, so that it can be tried again without its words. */
export class LastFailure {
  /** The user has said something that no turn has done. */
  #isAsked = false;
  #failure: TurnFailure | undefined;

  get failure(): TurnFailure | undefined {
    return this.#failure;
  }

  observe(event: ThreadEvent, at: number | undefined): void {
    switch (event.kind) {
      case 'context':
        if (event.cause === 'user') this.#isAsked = true;
        return;
      case 'turn-started':
        this.#failure = undefined;
        return;
      case 'turn-failed':
        // Another model continues it at once.
        if (this.#isAsked && event.continuedBy === undefined) this.#failure = { outcome: event.outcome, at };
        return;
      case 'turn-completed':
      case 'turn-aborted':
        this.#isAsked = false;
        this.#failure = undefined;
        return;
      default:
        return;
    }
  }
}

/** As much of a session as a plan is about. */
interface PlannedSession extends CommandSession {
  readonly parts: CommandSession['parts'] & {
    readonly stage: TuiScreen;
    readonly surroundings: TerminalContext;
    readonly isSide?: true;
  };
  readonly flow: TurnFlow;
  runSlash(name: SlashName, rest: string): Promise<void>;
}

/** Asks what to do with a plan that a turn proposed, unless something waits already. */
export async function askAboutProposedPlan(session: PlannedSession, plan: string): Promise<void> {
  const { surroundings, isSide, stage } = session.parts;
  const { pause } = surroundings;
  const { id } = session.thread;
  const isTyping = pause.wait > 0;
  await pause.quiet();
  const { waiting } = session.flow;
  const isWaited = waiting.queued.length > 0 || waiting.refused.length > 0;
  if (isSide === true || isWaited || session.thread.settings.collaboration?.mode !== 'plan') return;
  const { chooseAfterPlan } = await import('../questions/proposed-plan-question.ts');
  // The user may have gone on meanwhile.
  if (session.thread.id !== id || (isTyping && (session.isBusy || stage.isChoosing))) return;
  chooseAfterPlan(session, plan, { pause, startAnew: () => session.runSlash('new', '') });
}
