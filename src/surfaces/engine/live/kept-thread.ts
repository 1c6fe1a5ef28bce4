import type { Settings } from '../../../envelope/settings.ts';
import type { RolloutStore } from '../../../ports/rollout-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../../protocol/ids.ts';
import { Fault, type Outcome } from '../../../protocol/outcome.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { Answered } from '../../../thread/answered.ts';
import type { CompactionResult } from '../../../thread/parts/compaction-result.ts';
import type { Steered, Steering } from '../../../thread/steering.ts';
import type { Overridden, Thread } from '../../../thread/thread.ts';
import { internalError, type TurnResult } from '../../../thread/turn/settle.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import type { OpenedThread } from '../open-thread.ts';
import type { KeptSettings } from '../prepare-thread.ts';
import { type LastKnown, knownOf } from './last-known.ts';
import { whyRefused } from '../answer-thread.ts';
import { heldByCaller, threadsClosed } from './live-refusals.ts';
import { LiveWork } from './live-work.ts';
import type { PlaceCursor } from './place-cursor.ts';
import type { ThreadGate } from './thread-gate.ts';
import { ThreadHub } from './thread-hub.ts';
import type { FollowOptions, LiveCompaction, LiveNews, LiveThread, LiveTurn, ThreadUsage } from './live-thread.ts';

/** What a live thread needs of those who keep it. */
export interface ThreadKeeper {
  /** Takes the lease and folds the thread. */
  open(kept: KeptSettings | undefined): Promise<OpenedThread | EngineRefused>;
  /** Whether it can be given up and loaded again: an ephemeral thread cannot. */
  readonly isKept: boolean;
  readonly idleMs: number;
  /** Every use goes through it. */
  readonly gate: ThreadGate;
  /** What it has recorded is read from here. */
  readonly store: RolloutStore;
}

/** See `LiveThread`. Loading and giving up are in here; callers that ask for the thread meanwhile wait for it. */
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

  /** False: it is ephemeral, and gone once it is given up. */
  get isKept(): boolean {
    return this.#keeper.isKept;
  }

  get isLoaded(): boolean {
    return this.#thread !== undefined;
  }

  /** Whether it is loaded, or was given up before it had a message: no file may have it. */
  get isHere(): boolean {
    return this.isLoaded || this.#known?.isEmpty === true;
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

  get cursor(): PlaceCursor | undefined {
    return this.#hub.cursor;
  }

  usage(): ThreadUsage {
    return this.#now.usage;
  }

  /** A client has the object only after it was loaded once. */
  get #now(): Omit<LastKnown, 'last' | 'isEmpty'> {
    return this.#thread ?? this.#known!;
  }

  async submit({ change, signal, ...turn }: LiveTurn): Promise<TurnResult | EngineRefused> {
    return this.#work.add(
      (work) =>
        this.#use((thread) => {
          const asked = { ...turn, signal: work.signal };
          work.handOver();
          return change === undefined ? thread.run(asked) : thread.runWith(change, asked);
        }),
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

  async compact({ signal, ...asked }: LiveCompaction): Promise<CompactionResult | EngineRefused> {
    return this.#work.add(
      (work) =>
        this.#use((thread) => {
          work.handOver();
          return thread.compact({ ...asked, signal: work.signal });
        }),
      { signal },
    );
  }

  answer(questionId: string, answer: Answer): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    // It may become a turn: its place among those that are submitted is the one of this call.
    const over = this.#work.add((work) =>
      this.#use(async (thread): Promise<Answered | TurnResult> => {
        const isAsked = thread.questions.some(({ id }) => id === questionId);
        if (!isAsked || !thread.isSuspended || thread.isBusy) return thread.answer(questionId, answer);
        work.handOver();
        const continued = thread.continue({ signal: work.signal });
        resolve(thread.answer(questionId, answer).then((given) => whyRefused(thread, given, continued)));
        return continued;
      }),
    );
    over.then(
      (result) => (result.kind === 'answered' || result.kind === 'refused' ? resolve(result) : undefined),
      reject,
    );
    return promise;
  }

  follow(options: FollowOptions = {}): AsyncIterableIterator<LiveNews> {
    return this.#hub.follow(options);
  }

  /** Loaded once, however many ask. */
  load(): Promise<Thread | EngineRefused> {
    return this.#use((thread) => Promise.resolve(thread));
  }

  #load(): Promise<Thread | EngineRefused> {
    if (this.#isOver) return Promise.resolve(engineRefused(threadsClosed));
    if (this.#loading !== undefined) return this.#loading;
    if (this.#thread !== undefined) return Promise.resolve(this.#thread);
    const loading = this.#open();
    this.#loading = loading;
    // The first to know: later callers cannot overtake those that waited.
    void loading.then(() => (this.#loading = undefined));
    return loading;
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

  /** Whether the thread itself has something to do: not so what waits for work on the whole. */
  get isRunning(): boolean {
    return this.#thread?.isBusy === true;
  }

  /** Does something to the thread as a whole. To be called alone in the gate. */
  async whileAway<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.giveUp();
    await this.#leaving;
    await this.#hub.lookAgain();
    try {
      return await work();
    } finally {
      await this.#hub.lookAgain();
    }
  }

  /** For good. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#keeper.gate.opened();
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
    const { gate } = this.#keeper;
    return gate.isInside ? engineRefused(heldByCaller(this.id)) : gate.enter(() => this.#used(work));
  }

  async #used<Result>(work: (thread: Thread) => Promise<Result>): Promise<Result | EngineRefused> {
    this.#uses++;
    try {
      const thread = await this.#load();
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
      const isIdle = !this.isBusy && this.#uses === 0 && !this.#hub.isFollowed;
      if (isIdle) void this.giveUp().catch(() => {});
      else this.#rest();
    }, this.#keeper.idleMs);
    this.#idle.unref();
  }
}

function isThread(value: Thread | EngineRefused): value is Thread {
  return !('outcome' in value);
}

function asOutcome({ code, message, next }: Fault): Outcome {
  return { code, message, next };
}
