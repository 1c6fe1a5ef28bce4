import type { RolloutStore } from '../../ports/thread-store.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import type { Usage } from '../../protocol/usage.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import type { KeptSettings, OpenedThread } from '../thread-setup/open-thread.ts';
import type { Thread } from '../thread/thread.ts';
import { internalError } from '../thread/turn/settle-turn.ts';
import { ThreadFollowers } from './thread-followers.ts';
import { captureLastKnown, costOfThread, type LastKnown, type ThreadGate } from './thread-gate.ts';

/** What a live thread needs of those who keep it. */
export interface ThreadManager {
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

/** What is known of a thread by its newest opening. */
type Opening = Pick<OpenedThread, 'notices' | 'profileName' | 'restored' | 'newest'>;

/** What the loader needs of the thread's clients. */
interface LoadedFor {
  /** A turn began that a client submitted. */
  turnBegan(turnId: TurnId): void;
  /** Whether no client has submitted anything that is not over. */
  isIdle(): boolean;
}

/** Loads one thread when it is used and gives it up when nothing happens in it. Callers that come meanwhile wait. */
export class ThreadLoader {
  readonly #id: ThreadId;
  readonly #keeper: ThreadManager;
  readonly #clients: LoadedFor;
  readonly hub: ThreadFollowers;
  #opening: Opening = { notices: [] };
  #thread: Thread | undefined;
  /** It was given up for work on the whole, and not loaded since: its session goes on. */
  #away: Thread | undefined;
  #known: LastKnown | undefined;
  #loading: Promise<Thread | EngineRefused> | undefined;
  #leaving: Promise<void> = Promise.resolve();
  /** Calls that are under way. */
  #uses = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Why it is loaded no more. */
  #over: Outcome | undefined;

  constructor(id: ThreadId, keeper: ThreadManager, clients: LoadedFor) {
    this.#id = id;
    this.#keeper = keeper;
    this.#clients = clients;
    const { store, isKept } = keeper;
    this.hub = new ThreadFollowers(id, store, { isKept, onLeave: () => this.#rest() });
  }

  /** Undefined while it is given up. */
  get thread(): Thread | undefined {
    return this.#thread;
  }

  get opening(): Opening {
    return this.#opening;
  }

  /** A client has the object only after it was loaded once. */
  get now(): Omit<LastKnown, 'last' | 'isEmpty' | 'cost'> {
    return this.#thread ?? this.#known!;
  }

  get cost(): Usage {
    return this.#thread === undefined ? this.#known!.cost : costOfThread(this.#thread);
  }

  /** Whether it was given up before it had a message. */
  get wasEmpty(): boolean {
    return this.#known?.isEmpty === true;
  }

  #load(): Promise<Thread | EngineRefused> {
    if (this.#over !== undefined) return Promise.resolve(engineRefused(this.#over));
    if (this.#loading !== undefined) return this.#loading;
    if (this.#thread !== undefined) return Promise.resolve(this.#thread);
    const loading = this.#open();
    this.#loading = loading;
    // The first to know: later callers cannot overtake those that waited.
    void loading.then(() => (this.#loading = undefined));
    return loading;
  }

  /** The thread was opened elsewhere: from here on it is ours. */
  async adopt({ thread, ...opening }: OpenedThread): Promise<Thread> {
    await this.hub.attach(thread, opening);
    this.#thread = thread;
    this.#away = undefined;
    this.#opening = opening;
    thread.subscribe({
      event: (event) => {
        if (event.kind === 'turn-started' && !thread.isCompactingItself) this.#clients.turnBegan(event.turnId);
      },
      ended: () => this.#left(thread),
    });
    this.#rest();
    return thread;
  }

  /** Interrupts what runs, or suspends it, and gives the lease back. The next use loads it again. */
  giveUp({ sessionGoesOn = false }: { readonly sessionGoesOn?: boolean } = {}): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return this.#leaving;
    this.#left(thread);
    if (sessionGoesOn) this.#away = thread;
    // Its last turn ends, or is suspended, while it closes.
    const leaving = thread.close({ sessionGoesOn }).finally(() => (this.#known = captureLastKnown(thread)));
    this.#leaving = leaving.catch(() => {});
    return leaving;
  }

  /** Does something to the thread as a whole. To be called alone in the gate. */
  async whileAway<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.giveUp({ sessionGoesOn: true });
    await this.#leaving;
    await this.hub.lookAgain();
    try {
      return await work();
    } finally {
      await this.hub.lookAgain();
    }
  }

  /** For good. */
  async end(because: Outcome): Promise<void> {
    this.#over ??= because;
    await this.#keeper.gate.opened();
    await this.#loading;
    await this.#away?.endSession();
    await this.giveUp().finally(() => this.hub.end(because));
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
  async use<Result>(work: (thread: Thread) => Promise<Result>): Promise<Result | EngineRefused> {
    const { gate } = this.#keeper;
    return gate.isInside ? engineRefused(heldByCaller(this.#id)) : gate.enter(() => this.#used(work));
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
    this.#known = captureLastKnown(thread);
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

  get #isIdle(): boolean {
    const isQuiet = this.#thread?.isBusy === false && this.#thread.agents?.isRunning !== true;
    return this.#clients.isIdle() && isQuiet && this.#uses === 0 && !this.hub.isFollowed;
  }
}

function isThread(value: Thread | EngineRefused): value is Thread {
  return !('outcome' in value);
}

function asOutcome({ code, message, next }: Fault): Outcome {
  return { code, message, next };
}

export const threadsClosed: Outcome<'threads-closed'> = {
  code: 'threads-closed',
  message: 'The threads of this program are closed.',
  next: 'Start the program again.',
};

/** One that a client has closed. */
export function threadClosed(id: ThreadId, { isKept }: { readonly isKept: boolean }): Outcome<'thread-closed'> {
  return {
    code: 'thread-closed',
    message: `Thread ${id} is closed.`,
    next: isKept ? 'Load it again by its id.' : 'Start a new one: it was ephemeral.',
  };
}

export function threadBusy(id: ThreadId): Outcome<'thread-busy'> {
  return {
    code: 'thread-busy',
    message: `A turn of thread ${id} runs or waits for an answer.`,
    next: 'Interrupt it, or wait until it has ended.',
  };
}

/** Work on a thread as a whole uses the thread, or another one whose work waits for it: it would wait for itself. */
export function heldByCaller(id: ThreadId): Outcome<'thread-held'> {
  return {
    code: 'thread-held',
    message: `This call would wait for itself: it is part of work on thread ${id} as a whole, or that work waits for it.`,
    next: 'Use the thread after that work has ended.',
  };
}

export function ephemeralThread(id: ThreadId): Outcome<'thread-ephemeral'> {
  return {
    code: 'thread-ephemeral',
    message: `Thread ${id} is ephemeral: it has no file to roll back or change.`,
    next: 'Start a thread that is not ephemeral.',
  };
}
