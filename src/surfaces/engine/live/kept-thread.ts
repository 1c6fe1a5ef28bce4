import type { Settings } from '../../../envelope/settings.ts';
import type { RolloutStore } from '../../../ports/rollout-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../../protocol/ids.ts';
import { Fault, type Outcome } from '../../../protocol/outcome.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { Answered } from '../../../thread/answered.ts';
import type { CompactionResult } from '../../../thread/parts/compaction-result.ts';
import type { Steered, Steering } from '../../../thread/steering.ts';
import type { Overridden, Thread } from '../../../thread/thread.ts';
import { type LastSettings, lastSettings } from '../../../state/resumed-settings.ts';
import { internalError, type TurnResult } from '../../../thread/turn/settle.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import type { OpenedThread } from '../open-thread.ts';
import type { KeptSettings } from '../prepare-thread.ts';
import { LiveWork } from './live-work.ts';
import { ThreadHub } from './thread-hub.ts';
import type { FollowOptions, LiveNews, LiveThread, LiveTurn, ThreadUsage } from './live-thread.ts';

/** What a live thread needs of those who keep it. */
export interface ThreadKeeper {
  /** Takes the lease and folds the thread. */
  open(kept: KeptSettings | undefined): Promise<OpenedThread | EngineRefused>;
  /** Whether it can be given up and loaded again: an ephemeral thread cannot. */
  readonly isKept: boolean;
  readonly idleMs: number;
  /** What it has recorded is read from here. */
  readonly store: RolloutStore;
}

/** What stays known of a thread that is not loaded. */
interface LastKnown {
  readonly settings: Settings;
  readonly last: LastSettings;
  readonly questions: readonly Question[];
  readonly isSuspended: boolean;
  readonly usage: ThreadUsage;
}

/** See `LiveThread`. Loading and giving up are in here; whoever asks for the thread meanwhile waits for it. */
export class KeptThread implements LiveThread {
  readonly kind = 'live';
  readonly id: ThreadId;
  readonly #keeper: ThreadKeeper;
  readonly #work = new LiveWork();
  #notices: readonly Outcome[] = [];
  #thread: Thread | undefined;
  #known: LastKnown | undefined;
  #loading: Promise<Thread | EngineRefused> | undefined;
  #leaving: Promise<void> = Promise.resolve();
  /** Calls that are under way. */
  #uses = 0;
  readonly #hub: ThreadHub;
  #idle: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(id: ThreadId, keeper: ThreadKeeper) {
    this.id = id;
    this.#keeper = keeper;
    const { store, isKept } = keeper;
    this.#hub = new ThreadHub(id, store, { isKept, onLeave: () => this.#rest() });
  }

  get isLoaded(): boolean {
    return this.#thread !== undefined;
  }

  get notices(): readonly Outcome[] {
    return this.#notices;
  }

  get settings(): Settings {
    return this.#now.settings;
  }

  get turnId(): TurnId | undefined {
    return this.#thread?.turnId;
  }

  get questions(): readonly Question[] {
    return this.#now.questions;
  }

  get isSuspended(): boolean {
    return this.#now.isSuspended;
  }

  get place(): Ordinal | undefined {
    return this.#hub.place < 0 ? undefined : (this.#hub.place as Ordinal);
  }

  usage(): ThreadUsage {
    return this.#now.usage;
  }

  /** A client has the object only after it was loaded once. */
  get #now(): Omit<LastKnown, 'last'> {
    return this.#thread ?? this.#known!;
  }

  submit({ change, signal, ...turn }: LiveTurn): Promise<TurnResult | EngineRefused> {
    return this.#work.add(
      (own) => {
        const asked = { ...turn, signal: own };
        return this.#use((thread) => (change === undefined ? thread.run(asked) : thread.runWith(change, asked)));
      },
      { signal },
    );
  }

  steer(steering: Steering): Promise<Steered | EngineRefused> {
    return this.#use((thread) => thread.steer(steering));
  }

  async interrupt(): ReturnType<LiveThread['interrupt']> {
    const turnId = await this.#work.interrupt();
    return turnId === undefined ? { kind: 'idle' } : { kind: 'interrupted', turnId };
  }

  override(change: unknown): Promise<Overridden> {
    return this.#use((thread) => thread.overrideTurnContext(change));
  }

  compact(asked: { readonly focus?: string }): Promise<CompactionResult | EngineRefused> {
    return this.#work.add((signal) => this.#use((thread) => thread.compact({ ...asked, signal })));
  }

  answer(questionId: string, answer: Answer): Promise<Answered> {
    return this.#use(async (thread): Promise<Answered> => {
      const isAsked = thread.questions.some(({ id }) => id === questionId);
      if (!isAsked || !thread.isSuspended || thread.isBusy) return thread.answer(questionId, answer);
      const continued = this.#work.add((signal) => thread.continue({ signal }));
      const answered = thread.answer(questionId, answer);
      const refused = continued.then((result) => (result.kind === 'refused' ? result : answered));
      return Promise.race([answered, refused]);
    });
  }

  follow(options: FollowOptions = {}): AsyncIterableIterator<LiveNews> {
    return this.#hub.follow(options);
  }

  /** Loaded once, however many ask. */
  load(): Promise<Thread | EngineRefused> {
    if (this.#isOver) return Promise.resolve(engineRefused(over));
    if (this.#thread !== undefined) return Promise.resolve(this.#thread);
    this.#loading ??= this.#open().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  /** The thread was opened elsewhere: from here on it is ours. */
  async adopt({ thread, notices }: OpenedThread): Promise<Thread> {
    await this.#hub.attach(thread);
    this.#thread = thread;
    this.#notices = notices;
    thread.subscribe({
      event: (event) => {
        if (event.kind === 'turn-started') this.#work.begun(event.turnId);
      },
      ended: () => this.#left(thread),
    });
    this.#rest();
    return thread;
  }

  /** Interrupts what runs, or suspends it, and gives the lease back. The next use loads it again. */
  giveUp(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return this.#leaving;
    this.#left(thread);
    // Its last turn ends, or is suspended, while it closes.
    const leaving = thread.close().finally(() => (this.#known = knownOf(thread)));
    this.#leaving = leaving.catch(() => {});
    return leaving;
  }

  /** Whether a turn or a compaction runs, or waits for its place. */
  get isBusy(): boolean {
    return !this.#work.isEmpty || this.#thread?.isBusy === true;
  }

  /** Does something to the thread as a whole. Whoever uses it meanwhile waits. */
  async whileAway<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#loading;
    await this.giveUp();
    const result = this.#leaving.then(async () => {
      await this.#hub.lookAgain();
      try {
        return await work();
      } finally {
        await this.#hub.lookAgain();
      }
    });
    this.#leaving = result.then(nothing, nothing);
    return result;
  }

  /** For good. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#loading;
    await this.giveUp().finally(() => this.#hub.end());
  }

  async #open(): Promise<Thread | EngineRefused> {
    await this.#leaving;
    try {
      const opened = await this.#keeper.open(this.#known);
      return opened.kind === 'refused' ? opened : await this.adopt(opened);
    } catch (error) {
      return engineRefused(error instanceof Fault ? asOutcome(error) : internalError(error));
    }
  }

  /** After a Fault the thread is of no more use: the next call folds it from the disk. */
  async #use<Result>(work: (thread: Thread) => Promise<Result>): Promise<Result | EngineRefused> {
    this.#uses++;
    try {
      const thread = await this.load();
      return isThread(thread) ? await work(thread) : thread;
    } catch (error) {
      if (error instanceof Fault) await this.giveUp().catch(() => {});
      throw error;
    } finally {
      this.#uses--;
      this.#rest();
    }
  }

  #left(thread: Thread): void {
    if (this.#thread !== thread) return;
    this.#known = knownOf(thread);
    this.#thread = undefined;
    clearTimeout(this.#idle);
  }

  /** Gives the thread up when nothing has happened in it for long enough. */
  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#thread === undefined || !this.#keeper.isKept) return;
    this.#idle = setTimeout(() => {
      if (this.#isIdle) void this.giveUp().catch(() => {});
      else this.#rest();
    }, this.#keeper.idleMs);
    this.#idle.unref();
  }

  /** A thread in which nothing happened has no file that it could be loaded from. */
  get #isIdle(): boolean {
    const thread = this.#thread;
    if (thread === undefined || this.isBusy || this.#uses > 0 || this.#hub.isFollowed) return false;
    return thread.state.turns > 0;
  }
}

const over: Outcome = {
  code: 'threads-closed',
  message: 'The threads of this program are closed.',
  next: 'Start the program again.',
};

function nothing(): void {}

function isThread(value: Thread | EngineRefused): value is Thread {
  return !('outcome' in value);
}

function knownOf(thread: Thread): LastKnown {
  const { settings, questions, isSuspended, usage } = thread;
  return { settings, last: lastSettings(thread.state), questions, isSuspended, usage };
}

function asOutcome({ code, message, next }: Fault): Outcome {
  return { code, message, next };
}
