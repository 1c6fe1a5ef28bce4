import { defined } from '../../../protocol/defined.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { UserInput } from '../../../protocol/user-input.ts';
import { type EngineRefused, engineRefused } from '../../engine/engine-refused.ts';
import { failureWords } from '../../engine/failure-words.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import type { Draft } from '../composer/draft.ts';
import { joinAll, messageWords } from '../composer/whole-draft.ts';
import type { SlashName } from '../views/slash-table.ts';
import { readDraft } from './read-draft.ts';
import type { TuiStage } from './stage.ts';
import { type PendingSteer, WaitingMessages } from './waiting-messages.ts';

export interface FlowParts {
  readonly stage: TuiStage;
  thread(): LiveThread;
  /** What a draft says to the engine, or why it cannot be sent as it is. */
  inputOf(draft: Draft): Promise<UserInput | Outcome>;
  now(): number;
  notice(text: string): void;
  /** Shows why something was refused. */
  told(result: { readonly kind: string; readonly outcome?: Outcome }): void;
  /** Shows what goes wrong with something that no caller waits for. */
  guard(work: Promise<unknown>): void;
  shell(command: string): Promise<void>;
  slash(name: SlashName, rest: string): Promise<void>;
  /** A turn was cut off by a fault: its events have no end. */
  broken(): void;
  /** What the user asked for and has not begun yet. */
  later(): readonly Draft[];
}

/** A turn or a compaction that was asked for and has not ended. */
interface AskedWork {
  /** `stop` says what follows. */
  isStopped: boolean;
}

/** Work that is no turn of the thread. */
interface BesideWork {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** What the turn that failed was asked. `isSaid`: it is in the conversation. */
interface FailedDraft {
  readonly draft: Draft;
  readonly isSaid: boolean;
  /** What waits would fail in the same way. It waits for a turn that does not. */
  readonly holdsQueue: boolean;
}

/** What follows what: turns, words for the turn that runs, and what waits for their end. */
export class TurnFlow {
  readonly waiting = new WaitingMessages();
  readonly #parts: FlowParts;
  readonly #works = new Set<AskedWork>();
  /** How much runs that is no turn and comes before what waits. */
  #holds = 0;
  /** What ran last failed in a way in which the next turn would fail, too. */
  #isStuck = false;
  /** What a turn was asked, while it has not entered the conversation. */
  #unsaid: Draft | undefined;
  #failed: FailedDraft | undefined;
  #beside: BesideWork | undefined;

  constructor(parts: FlowParts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#works.size > 0 || this.#parts.thread().turnId !== undefined;
  }

  /** The last turn failed, and nothing was asked for since. */
  get canRetry(): boolean {
    return this.#failed !== undefined && !this.isBusy;
  }

  /** Settled when its turn has ended, or when the turn that runs has it. `taken`: the thread has been asked for a turn. */
  send(draft: Draft, taken: () => void): Promise<void> {
    return this.isBusy ? this.#steer(draft) : this.#turn(draft, taken);
  }

  queue(draft: Draft): void {
    this.waiting.queue(draft);
    this.show();
  }

  /** The turn that failed, once more. What the conversation has of it is not said again. */
  async retry(): Promise<void> {
    const failed = this.#failed;
    if (failed === undefined || this.isBusy) return;
    if (!failed.isSaid) return this.#turn(failed.draft);
    this.#setFailed(undefined);
    const result = await this.work('Working', () => this.#parts.thread().retry());
    if (result?.kind === 'failed') this.#setFailed(failed, result.outcome);
  }

  /** Runs something that takes long, with a row that says so. What waits comes after it. */
  async work<Result extends { readonly kind: string }>(
    header: string,
    run: () => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused | undefined> {
    const { stage, now, told } = this.#parts;
    const work: AskedWork = { isStopped: false };
    this.#works.add(work);
    stage.busy ??= { header, since: now() };
    let result: Result | EngineRefused | undefined;
    try {
      result = await run();
      if (result.kind === 'refused' && 'outcome' in result) told(result);
      return result;
    } catch (error) {
      this.#parts.broken();
      throw error;
    } finally {
      this.#works.delete(work);
      if (this.#works.size === 0) stage.busy = undefined;
      this.#isStuck = isLasting(result, now());
      if (!work.isStopped && result?.kind === 'aborted') this.#giveBack(this.waiting.takeBack());
      else if (!work.isStopped && !this.#isStuck) this.next();
    }
  }

  /** The same for work that is no turn of the thread. It takes no words: they wait for its end. */
  async workBeside<Result extends { readonly kind: string }>(
    header: string,
    run: (signal: AbortSignal) => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused | undefined> {
    const stop = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const beside: BesideWork = { stop, ended };
    this.#beside = beside;
    try {
      return await this.work(header, () => run(stop.signal));
    } finally {
      if (this.#beside === beside) this.#beside = undefined;
      resolve();
    }
  }

  /** Another thread takes the place of this one. What is queued is for that one. */
  switched(): void {
    for (const steer of this.waiting.steers) this.waiting.dropSteer(steer);
    this.#unsaid = undefined;
    this.#setFailed(undefined);
    this.show();
  }

  /** Ends what runs. What it has not read is taken back first: it is sent then, or stands in the composer. */
  async stop(then: 'send-steers' | 'give-back'): Promise<void> {
    const stopped = [...this.#works];
    for (const work of stopped) work.isStopped = true;
    const steers = await this.#takeSteers();
    await this.#interrupt();
    for (const work of stopped) work.isStopped = false;
    const unread = joinAll(steers);
    if (then === 'send-steers' && unread !== undefined) return this.#turn(unread);
    this.#giveBack([...steers, ...this.waiting.takeBack()]);
    this.next();
  }

  /** The user is about to end the turn by an answer: what it has not read comes back with all else that waits. */
  async holdSteers(): Promise<void> {
    for (const draft of await this.#takeSteers()) this.waiting.refuse(draft);
    this.show();
  }

  /** Words of the user are in the conversation. */
  said(words: string): void {
    if (this.#unsaid !== undefined && words === messageWords(this.#unsaid)) this.#unsaid = undefined;
    this.waiting.read(words);
    this.show();
  }

  /** A turn has begun: words that came before it may be for it. */
  turnBegan(): void {
    this.#parts.guard(this.#steerAll(this.waiting.takeRefused()));
  }

  /** A turn has ended. Words for it that it did not read come back. */
  async turnOver(): Promise<void> {
    if (this.waiting.steers.length > 0) this.#giveBack(await this.#takeSteers());
    this.next();
  }

  /** The first of those that wait, unless something runs or the user chooses something. */
  next(): void {
    const { stage, notice, guard } = this.#parts;
    if (this.#works.size > 0 || this.#holds > 0 || this.#failed?.holdsQueue === true || stage.isChoosing) return;
    const refused = joinAll(this.waiting.takeRefused());
    const draft = refused === undefined ? this.waiting.takeFirst() : undefined;
    this.show();
    if (refused !== undefined) return guard(this.#turn(refused));
    if (draft === undefined) return;
    const meant = readDraft(draft);
    switch (meant.kind) {
      case 'message':
        return guard(this.#turn(meant.draft));
      case 'refused':
        stage.composer.giveBack(draft);
        notice(meant.why);
        return this.next();
      case 'shell':
        return guard(this.hold(this.#parts.shell(meant.command)));
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
      if (!this.isBusy && !this.#isStuck) this.next();
    }
  }

  /** The user has closed a view. What was chosen in it begins first. */
  released(): void {
    queueMicrotask(() => {
      if (!this.isBusy) this.next();
    });
  }

  show(): void {
    const { stage } = this.#parts;
    const { steers, refused, queued } = this.waiting;
    stage.waiting = {
      steers: steers.map(({ draft }) => draft.text),
      refused: [...refused, ...this.#parts.later()].map(({ text }) => text),
      queued: queued.map(({ text }) => text),
    };
    stage.draw();
  }

  async #interrupt(): Promise<void> {
    const beside = this.#beside;
    if (beside === undefined) {
      await this.#parts.thread().interrupt();
      return;
    }
    beside.stop.abort();
    await beside.ended;
  }

  async #turn(draft: Draft, taken: () => void = () => {}): Promise<void> {
    const { stage, thread, inputOf } = this.#parts;
    this.#setFailed(undefined);
    this.#unsaid = draft;
    let result: Awaited<ReturnType<LiveThread['submit']>> | undefined;
    try {
      result = await this.work('Working', async () => {
        const input = await inputOf(draft);
        const submitted = 'code' in input ? engineRefused(input) : thread().submit({ input });
        taken();
        return submitted;
      });
    } finally {
      // What the thread did not take is not lost. What it has said is not said twice.
      const isTaken = result !== undefined && result.kind !== 'refused';
      if (!isTaken && this.#unsaid === draft) stage.composer.giveBack(draft);
    }
    const isSaid = this.#unsaid !== draft;
    if (result?.kind !== 'failed' || this.isBusy) return;
    this.#setFailed({ draft, isSaid, holdsQueue: isLasting(result, this.#parts.now()) }, result.outcome);
  }

  #setFailed(failed: FailedDraft | undefined, outcome?: Outcome): void {
    const { stage, now } = this.#parts;
    this.#failed = failed;
    const opensAt = outcome && failureWords(outcome, now()).opensAt;
    const holdsQueue = failed?.holdsQueue === true && this.waiting.queued.length + this.waiting.refused.length > 0;
    stage.failed = failed && { ...defined({ opensAt }), holdsQueue };
  }

  async #steerAll(drafts: readonly Draft[]): Promise<void> {
    for (const draft of drafts) await this.#steer(draft);
  }

  async #steer(draft: Draft): Promise<void> {
    const { stage, told } = this.#parts;
    // It does not overtake what was not taken before it.
    if (this.waiting.refused.length > 0) {
      this.waiting.refuse(draft);
      return this.show();
    }
    const steering = this.#offer(draft);
    const accepted = steering.then(
      (steered) => (steered.kind === 'steered' ? steered.messageId : undefined),
      () => undefined,
    );
    const steer: PendingSteer = { draft, accepted };
    this.waiting.steer(steer);
    this.show();
    const steered = await steering;
    if (steered.kind !== 'refused') return;
    this.waiting.dropSteer(steer);
    this.show();
    if (steered.outcome.code !== 'no-active-turn') {
      told(steered);
      return stage.composer.giveBack(draft);
    }
    // The turn has ended meanwhile, or takes no words.
    if (this.#works.size === 0) return this.#turn(draft);
    this.waiting.refuse(draft);
    this.show();
  }

  async #offer(draft: Draft): ReturnType<LiveThread['steer']> {
    const { thread, inputOf } = this.#parts;
    const input = await inputOf(draft);
    return 'code' in input ? engineRefused(input) : thread().steer({ input });
  }

  /** The steers that the engine gives back. Those that it does not have entered the conversation. */
  async #takeSteers(): Promise<readonly Draft[]> {
    const { steers } = this.waiting;
    if (steers.length === 0) return [];
    const known = await Promise.all(steers.map(async (steer) => ({ steer, id: await steer.accepted })));
    const taken = await this.#parts.thread().withdraw(known.flatMap(({ id }) => id ?? []));
    const back = known.filter(({ id }) => id !== undefined && taken.includes(id));
    for (const { steer } of known) this.waiting.dropSteer(steer);
    this.show();
    return back.map(({ steer }) => steer.draft);
  }

  #giveBack(drafts: readonly Draft[]): void {
    const draft = joinAll(drafts);
    if (draft !== undefined) this.#parts.stage.composer.giveBack(draft);
    this.show();
  }
}

/** Whether the next turn would fail in the same way. */
function isLasting(result: { readonly kind: string; readonly outcome?: Outcome } | undefined, now: number): boolean {
  return result?.kind === 'failed' && result.outcome !== undefined && failureWords(result.outcome, now).isLasting;
}
