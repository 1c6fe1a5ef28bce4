import { defined } from '../../../protocol/defined.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { words as userWords } from '../../../protocol/user-input.ts';
import type { EngineRefused } from '../../engine/engine-refused.ts';
import { failureWords } from '../../engine/failure-words.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import type { SlashName } from '../views/slash-table.ts';
import { readDraft, unknownCommand } from './read-draft.ts';
import type { TuiStage } from './stage.ts';
import { type PendingSteer, type QueuedDraft, WaitingMessages } from './waiting-messages.ts';

export interface FlowParts {
  readonly stage: TuiStage;
  thread(): LiveThread;
  now(): number;
  notice(text: string): void;
  /** Shows why something was refused. */
  told(result: { readonly kind: string; readonly outcome?: Outcome }): void;
  /** Shows what goes wrong with something that no caller waits for. */
  guard(work: Promise<unknown>): void;
  shell(command: string): Promise<void>;
  slash(name: SlashName, rest: string): Promise<void>;
}

/** A turn or a compaction that was asked for and has not ended. */
interface AskedWork {
  /** `stop` says what follows. */
  isStopped: boolean;
}

/** Of the turn that failed. `isSaid`: they are in the conversation. */
interface FailedWords {
  readonly words: string;
  readonly isSaid: boolean;
  /** What waits would fail in the same way. It waits for a turn that does not. */
  readonly holdsQueue: boolean;
}

/** What follows what: turns, words for the turn that runs, and what waits for their end. */
export class TurnFlow {
  readonly waiting = new WaitingMessages();
  readonly #parts: FlowParts;
  readonly #works = new Set<AskedWork>();
  /** Something of the queue that is no turn runs. */
  #isTaking = false;
  /** Words of a turn that have not entered the conversation. */
  #unsaid: string | undefined;
  #failed: FailedWords | undefined;

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

  send(words: string): Promise<void> {
    return this.isBusy ? this.#steer(words) : this.#turn(words);
  }

  queue(draft: QueuedDraft): void {
    this.waiting.queue(draft);
    this.show();
  }

  /** The turn that failed, once more. What the conversation has of it is not said again. */
  async retry(): Promise<void> {
    const failed = this.#failed;
    if (failed === undefined || this.isBusy) return;
    if (!failed.isSaid) return this.#turn(failed.words);
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
    } finally {
      this.#works.delete(work);
      if (this.#works.size === 0) stage.busy = undefined;
      if (!work.isStopped && result?.kind === 'aborted') this.#giveBack(this.waiting.takeBack());
      else if (!work.isStopped && !isLasting(result, now())) this.next();
    }
  }

  /** Ends what runs. Words that it has not read are taken back first: they are sent then, or stand in the composer. */
  async stop(then: 'send-steers' | 'give-back'): Promise<void> {
    const stopped = [...this.#works];
    for (const work of stopped) work.isStopped = true;
    const words = await this.#takeSteers();
    await this.#parts.thread().interrupt();
    for (const work of stopped) work.isStopped = false;
    if (then === 'send-steers' && words.length > 0) return this.#turn(words.join('\n'));
    const back = [...words, this.waiting.takeBack() ?? []].flat();
    this.#giveBack(back.length === 0 ? undefined : back.join('\n'));
    this.next();
  }

  /** Words of the user are in the conversation. */
  said(words: string): void {
    if (words === this.#unsaid) this.#unsaid = undefined;
    this.waiting.read(words);
    this.show();
  }

  /** A turn has begun: words that came before it may be for it. */
  turnBegan(): void {
    for (const words of this.waiting.takeRefused()) this.#parts.guard(this.#steer(words));
  }

  /** A turn has ended. Words for it that it did not read come back. */
  async turnOver(): Promise<void> {
    if (this.waiting.steers.length > 0) {
      const words = await this.#takeSteers();
      this.#giveBack(words.length === 0 ? undefined : words.join('\n'));
    }
    this.next();
  }

  /** The first of those that wait, unless something runs or the user chooses something. */
  next(): void {
    const { stage, notice, guard } = this.#parts;
    if (this.#works.size > 0 || this.#isTaking || this.#failed?.holdsQueue === true || stage.isChoosing) return;
    const refused = this.waiting.takeRefused();
    const draft = refused.length > 0 ? undefined : this.waiting.takeFirst();
    this.show();
    if (refused.length > 0) return guard(this.#turn(refused.join('\n')));
    if (draft === undefined) return;
    const meant = readDraft(draft);
    switch (meant.kind) {
      case 'message':
        return guard(this.#turn(meant.words));
      case 'unknown':
        notice(unknownCommand(meant.name));
        return this.next();
      case 'shell':
        return guard(this.#take(() => this.#parts.shell(meant.command)));
      case 'slash':
        return guard(this.#take(() => this.#parts.slash(meant.command.name, meant.rest)));
    }
  }

  show(): void {
    const { stage } = this.#parts;
    const { steers, refused, queued } = this.waiting;
    stage.waiting = {
      steers: steers.map(({ words }) => words),
      refused: [...refused],
      queued: queued.map(({ words }) => words),
    };
    stage.draw();
  }

  async #take(run: () => Promise<void>): Promise<void> {
    this.#isTaking = true;
    await run().finally(() => (this.#isTaking = false));
    this.next();
  }

  async #turn(words: string): Promise<void> {
    const { stage, thread } = this.#parts;
    this.#setFailed(undefined);
    this.#unsaid = words;
    let result: Awaited<ReturnType<LiveThread['submit']>> | undefined;
    try {
      result = await this.work('Working', () => thread().submit({ input: userWords(words) }));
    } finally {
      // What the thread did not take is not lost.
      if (result === undefined || result.kind === 'refused') stage.composer.giveBack(words);
    }
    const isSaid = this.#unsaid !== words;
    if (result?.kind !== 'failed' || this.isBusy) return;
    this.#setFailed({ words, isSaid, holdsQueue: isLasting(result, this.#parts.now()) }, result.outcome);
  }

  #setFailed(failed: FailedWords | undefined, outcome?: Outcome): void {
    const { stage, now } = this.#parts;
    this.#failed = failed;
    const opensAt = outcome && failureWords(outcome, now()).opensAt;
    const holdsQueue = failed?.holdsQueue === true && this.waiting.queued.length + this.waiting.refused.length > 0;
    stage.failed = failed && { ...defined({ opensAt }), holdsQueue };
  }

  async #steer(words: string): Promise<void> {
    const { stage, thread, told } = this.#parts;
    const steering = thread().steer({ input: userWords(words) });
    const accepted = steering.then(
      (steered) => (steered.kind === 'steered' ? steered.messageId : undefined),
      () => undefined,
    );
    const steer: PendingSteer = { words, accepted };
    this.waiting.steer(steer);
    this.show();
    const steered = await steering;
    if (steered.kind !== 'refused') return;
    this.waiting.dropSteer(steer);
    this.show();
    if (steered.outcome.code !== 'no-active-turn') {
      told(steered);
      return stage.composer.giveBack(words);
    }
    // The turn has ended meanwhile, or takes no words.
    if (this.#works.size === 0) return this.#turn(words);
    this.waiting.refuse(words);
    this.show();
  }

  /** The words of steers that the engine gives back. Those that it does not have entered the conversation. */
  async #takeSteers(): Promise<readonly string[]> {
    const { steers } = this.waiting;
    if (steers.length === 0) return [];
    const known = await Promise.all(steers.map(async (steer) => ({ steer, id: await steer.accepted })));
    const taken = await this.#parts.thread().withdraw(known.flatMap(({ id }) => id ?? []));
    const back = known.filter(({ id }) => id !== undefined && taken.includes(id));
    for (const { steer } of known) this.waiting.dropSteer(steer);
    this.show();
    return back.map(({ steer }) => steer.words);
  }

  #giveBack(words: string | undefined): void {
    if (words !== undefined) this.#parts.stage.composer.giveBack(words);
    this.show();
  }
}

/** Whether the next turn would fail in the same way. */
function isLasting(result: { readonly kind: string; readonly outcome?: Outcome } | undefined, now: number): boolean {
  return result?.kind === 'failed' && result.outcome !== undefined && failureWords(result.outcome, now).isLasting;
}
