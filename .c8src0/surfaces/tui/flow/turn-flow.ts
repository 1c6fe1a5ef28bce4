import { engineRefused } from '../../../engine/engine-refused.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import { failureWords } from '../../../engine/models/failure-words.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { SlashName } from '../commands/slash-commands.ts';
import { draftMessageText, joinAll, parseDraft } from '../draft/draft-message.ts';
import { type Draft, draftFromText } from '../draft/draft.ts';
import type { TuiSession } from '../session/session.ts';
import { SteeringMessages, type SteeringMessagesParts, WaitingMessages } from './message-queue.ts';
import { RunningWork, type RunningWorkEnd, type RunningWorkParts } from './running-work.ts';

export interface FlowParts extends Omit<RunningWorkParts, 'ended'>, Omit<SteeringMessagesParts, 'waiting' | 'changed'> {
  notice(text: string): void;
  /** Reports errors of work that no caller awaits. */
  guard(work: Promise<unknown>): void;
  shell(command: string): Promise<void>;
  slash(name: SlashName, rest: string): Promise<void>;
  later(): readonly Draft[];
  /** Saves waiting messages in order for a later process. */
  keep(waiting: readonly Draft[]): void;
}

/** The draft of the failed turn. `isSaid`: it is in the conversation. */
type FailedDraft = { readonly draft: Draft; readonly isSaid: boolean };

/** Orders turns, messages for the running turn, and messages that wait for their end. */
export class TurnFlow {
  readonly waiting = new WaitingMessages();
  readonly works: RunningWork;
  readonly #parts: FlowParts;
  readonly #steered: SteeringMessages;
  /** Number of running works that are no turns and delay waiting messages. */
  #holds = 0;
  /** Number of these that are commands of the user's shell, which leave the thread unchanged. */
  #shells = 0;
  /** True if the next turn would fail as the last one did. Messages then wait until the user requests a turn. */
  #isStuck = false;
  /** True while messages of an earlier process wait. Capstan sends none until the user requests a turn. */
  #isGivenBack = false;
  /** The draft of a requested turn until it enters the conversation. */
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

  /** True if the last turn failed, the user has requested no turn since, and only shell commands run. */
  get canRetry(): boolean {
    return this.#failed !== undefined && !this.isBusy && this.#holds === this.#shells;
  }

  /** Settles when the draft's turn has ended, or the running turn has it. Calls `taken` once a turn is requested. */
  send(draft: Draft, taken: () => void): Promise<void> {
    return this.isBusy ? this.#steer(draft) : this.#turn(draft, taken);
  }

  queue(draft: Draft): void {
    this.waiting.queue(draft);
    this.show();
  }

  /** Queues messages that an earlier process left waiting before those that wait now. */
  requeue(drafts: readonly Draft[]): void {
    if (drafts.length > 0) this.#isGivenBack = true;
    this.waiting.queueFirst(drafts);
    this.show();
  }

  async retry(): Promise<void> {
    const failed = this.#failed;
    if (failed === undefined || !this.canRetry) return;
    if (!failed.isSaid) return this.#turn(failed.draft);
    this.#turnAsked();
    const result = await this.works.run('Working', () => this.#parts.thread().retry());
    if (result?.kind === 'failed' && !this.isBusy) this.#setFailed(failed, result.outcome);
  }

  /** Runs work that is no turn. Tells the user why the queue waits if the next turn would fail the same way. */
  readonly runOther: RunningWork['run'] = async (header, run) => {
    const result = await this.works.run(header, run);
    const end: RunningWorkEnd = result;
    if (!this.#holdsQueue || end?.outcome === undefined) return result;
    const { what, next } = failureWords(end.outcome, this.#parts.now());
    this.#parts.notice(
      `The queue waits: its first message would fail in the same way. ${what} ${next} The next message that you send is tried, and the queue follows it.`,
    );
    return result;
  };

  switched(): void {
    this.waiting.steers = [];
    this.#unsaid = undefined;
    this.#forgetFailure();
    this.show();
  }

  /** Makes a failed turn at the end of a resumed thread retryable. */
  resumed(failure: TurnFailure | undefined): void {
    if (failure === undefined || this.#failed !== undefined || this.isBusy) return;
    this.#setFailed({ draft: draftFromText(''), isSaid: true }, failure.outcome, failure.at);
  }

  /** Stops the running work. Unread messages are taken back first, and then sent or put into the composer. */
  async stop(then: 'send-steers' | 'give-back'): Promise<void> {
    // Until the unread messages are known, the end of the running work must not start anything.
    this.#holds++;
    let steers: readonly Draft[] = [];
    try {
      steers = await this.works.stop(() => this.#steered.takeBack());
    } finally {
      // Capstan sends or returns the unread messages in the same step, so that nothing begins in between.
      this.#holds--;
    }
    const unread = joinAll(steers);
    if (then === 'send-steers' && unread !== undefined) return this.#turn(unread);
    this.#giveBack([...steers, ...this.waiting.takeBack()]);
    this.next();
  }

  /** Moves unread steers to the refused messages, before the user ends the turn by an answer. */
  async holdSteers(): Promise<void> {
    for (const draft of await this.#steered.takeBack()) this.waiting.refuse(draft);
    this.show();
  }

  said(words: string): void {
    if (this.#unsaid !== undefined && words === draftMessageText(this.#unsaid)) this.#unsaid = undefined;
    this.waiting.read(words);
    this.show();
  }

  /** A turn began: sends it the refused messages. */
  turnBegan(): void {
    const steerAll = async (drafts: readonly Draft[]): Promise<void> => {
      for (const draft of drafts) await this.#steer(draft);
    };
    this.#parts.guard(steerAll(this.waiting.takeRefused()));
  }

  /** A turn ended. Steers that it did not read come back. */
  async turnOver(): Promise<void> {
    if (this.waiting.steers.length > 0) this.#giveBack(await this.#steered.takeBack());
    this.next();
  }

  next(): void {
    const { stage, notice, guard } = this.#parts;
    if (!this.works.isNone || this.#holds > 0 || this.#isStuck || this.#isGivenBack || stage.isChoosing) return;
    const refused = joinAll(this.waiting.takeRefused());
    const draft = refused === undefined ? this.waiting.takeFirst() : undefined;
    const meant = draft && parseDraft(draft);
    // Keep the message until the thread has it.
    this.#unsaid = refused ?? (meant?.kind === 'message' ? meant.draft : this.#unsaid);
    this.show();
    if (refused !== undefined) return guard(this.#turn(refused));
    if (draft === undefined || meant === undefined) return;
    if (meant.kind === 'message') return guard(this.#turn(meant.draft));
    if (meant.kind === 'shell') return guard(this.holdForShell(this.#parts.shell(meant.command)));
    if (meant.kind === 'slash') return guard(this.hold(this.#parts.slash(meant.command.name, meant.rest)));
    stage.composer.giveBack(draft);
    notice(meant.why);
    this.next();
  }

  async hold(work: Promise<unknown>): Promise<void> {
    this.#holds++;
    try {
      await work;
    } finally {
      this.#holds--;
      if (!this.isBusy) this.next();
    }
  }

  /** Like `hold`, for a command of the user's shell: the failed turn can still be retried. */
  async holdForShell(work: Promise<unknown>): Promise<void> {
    this.#shells++;
    await this.hold(work.finally(() => void this.#shells--));
  }

  /** Call when the user has closed a view. Work chosen in it begins before waiting messages. */
  released(): void {
    queueMicrotask(() => {
      if (!this.isBusy) this.next();
    });
  }

  show(): void {
    const { stage, keep } = this.#parts;
    const { steers, refused, queued } = this.waiting;
    // Save the message being sent as well: the thread may not have it yet.
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
    this.#turnAsked();
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
      // Give the draft back only if the thread neither took it nor already has its words.
      const isTaken = result !== undefined && result.kind !== 'refused';
      if (!isTaken && this.#unsaid === draft) {
        this.#unsaid = undefined;
        stage.composer.giveBack(draft);
        this.show();
      }
    }
    if (result?.kind === 'failed' && !this.isBusy)
      this.#setFailed({ draft, isSaid: this.#unsaid !== draft }, result.outcome);
  }

  #forgetFailure(): void {
    this.#failed = undefined;
    this.#isStuck = false;
    this.#parts.stage.failed = undefined;
  }

  /** The user requests a turn. */
  #turnAsked(): void {
    this.#forgetFailure();
    this.#isGivenBack = false;
  }

  #setFailed(failed: FailedDraft, outcome: Outcome, at = this.#parts.now()): void {
    this.#failed = failed;
    this.#parts.stage.failed = { opensAt: failureWords(outcome, at).opensAt, holdsQueue: this.#holdsQueue };
  }

  get #holdsQueue(): boolean {
    return this.#isStuck && this.waiting.queued.length + this.waiting.refused.length > 0;
  }

  async #steer(draft: Draft): Promise<void> {
    // It must not overtake messages refused earlier.
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

/** True if the next turn would fail in the same way. */
const isLasting = (end: RunningWorkEnd, now: number): boolean =>
  end?.kind === 'failed' && end.outcome !== undefined && failureWords(end.outcome, now).isLasting;

type TurnFailure = { readonly outcome: Outcome; readonly at: number | undefined };

/** Tracks a failed turn at the end of a thread: the user can retry it without sending its words again. */
export class LastFailure {
  /** The user said something that no turn has handled. */
  #isAsked = false;
  failure: TurnFailure | undefined;

  observe(event: ThreadEvent, at: number | undefined): void {
    if (event.kind === 'context' && event.cause === 'user') this.#isAsked = true;
    if (event.kind === 'turn-completed' || event.kind === 'turn-aborted') this.#isAsked = false;
    if (['turn-started', 'turn-completed', 'turn-aborted'].includes(event.kind)) this.failure = undefined;
    // With `continuedBy` another model continues it at once.
    if (event.kind === 'turn-failed' && this.#isAsked && event.continuedBy === undefined)
      this.failure = { outcome: event.outcome, at };
  }
}

export async function askAboutProposedPlan(session: TuiSession, plan: string): Promise<void> {
  const { surroundings, isSide, stage } = session.parts;
  const { pause } = surroundings;
  const { id } = session.thread;
  const isTyping = pause.wait > 0;
  await pause.quiet();
  const { waiting } = session.flow;
  const isWaited = waiting.queued.length > 0 || waiting.refused.length > 0;
  if (isSide === true || isWaited || session.thread.settings.collaboration?.mode !== 'plan') return;
  const { askAboutPlan } = await import('../questions/proposed-plan-question.ts');
  // The user may have moved on meanwhile.
  if (session.thread.id !== id || (isTyping && (session.isBusy || stage.isChoosing))) return;
  askAboutPlan(session, plan, { pause, startAnew: () => session.runSlash('new', '') });
}
