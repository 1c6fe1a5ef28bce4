import type { RolloutStore } from '../../ports/thread-store.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import type { Usage } from '../../protocol/usage.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import type { KeptSettings, OpenedThread } from '../thread-setup/open-thread.ts';
import type { Thread } from '../thread/thread.ts';
import { internalError } from '../thread/turn/settle-turn.ts';
import { ThreadFollowers } from './thread-followers.ts';
import { captureLastKnownThread, costOfThread, type LastKnownThread, type ThreadGate } from './thread-gate.ts';

export interface ThreadManager {
  open(kept: KeptSettings | undefined): Promise<OpenedThread | EngineRefused>;
  /** False for an ephemeral thread, which cannot be given up and loaded again. */
  readonly isKept: boolean;
  readonly idleMs: number;
  readonly gate: ThreadGate;
  readonly store: RolloutStore;
}

type Opening = Pick<OpenedThread, 'notices' | 'profileName' | 'restored' | 'newest'>;
/** `isIdle`: all work that clients submitted is over. */
type LoadedFor = { turnBegan(turnId: TurnId): void; isIdle(): boolean };

/** Loads a thread on use and gives it up when it is inactive. Concurrent callers wait. */
export class ThreadLoader {
  /** False: it is ephemeral, and gone once it is given up. */
  readonly isKept: boolean;
  readonly #id: ThreadId;
  readonly #keeper: ThreadManager;
  readonly #clients: LoadedFor;
  readonly hub: ThreadFollowers;
  #opening: Opening = { notices: [] };
  #thread: Thread | undefined;
  /** The thread as it was given up for work on the whole, until it is loaded again: its session continues. */
  #away: Thread | undefined;
  #known: LastKnownThread | undefined;
  #loading: Promise<Thread | EngineRefused> | undefined;
  #leaving: Promise<void> = Promise.resolve();
  #uses = 0;
  #idle: NodeJS.Timeout | undefined;
  #over: Outcome | undefined;

  constructor(id: ThreadId, keeper: ThreadManager, clients: LoadedFor) {
    this.#id = id;
    this.#keeper = keeper;
    this.#clients = clients;
    const { store, isKept } = keeper;
    this.isKept = isKept;
    this.hub = new ThreadFollowers(id, store, { isKept, onLeave: () => this.#rest() });
  }

  get thread(): Thread | undefined {
    return this.#thread;
  }
  get opening(): Opening {
    return this.#opening;
  }

  /** Clients get the object only after it was loaded once, so one of the two exists. */
  get now() {
    return this.#thread ?? this.#known!;
  }
  get cost(): Usage {
    return this.#thread === undefined ? this.#known!.cost : costOfThread(this.#thread);
  }
  /** True if it is loaded, or was given up before it had a message: then it may have no file. */
  get isHere(): boolean {
    return this.#thread !== undefined || this.#known?.isEmpty === true;
  }
  /** True if the thread or its agents have work; work that waits for work on the whole does not count. */
  get isBusy(): boolean {
    return this.#thread?.isBusy === true || this.#thread?.agents?.isRunning === true;
  }

  #load(): Promise<Thread | EngineRefused> {
    if (this.#over !== undefined) return Promise.resolve(engineRefused(this.#over));
    if (this.#loading !== undefined) return this.#loading;
    if (this.#thread !== undefined) return Promise.resolve(this.#thread);
    const loading = this.#open();
    this.#loading = loading;
    // Registered first, so that later callers cannot overtake those that waited.
    void loading.then(() => (this.#loading = undefined));
    return loading;
  }

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

  /** Interrupts or suspends running work and returns the lease. The next use loads the thread again. */
  giveUp({ sessionGoesOn = false }: { readonly sessionGoesOn?: boolean } = {}): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return this.#leaving;
    this.#left(thread);
    if (sessionGoesOn) this.#away = thread;
    // Capture the state only now: the last turn ends or is suspended while the thread closes.
    const leaving = thread.close({ sessionGoesOn }).finally(() => (this.#known = captureLastKnownThread(thread)));
    this.#leaving = leaving.catch(() => {});
    return leaving;
  }

  /** Runs work on the thread as a whole. The gate must run it alone. */
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
      if (!(error instanceof Fault)) return engineRefused(internalError(error));
      const { code, message, next } = error;
      return engineRefused({ code, message, next });
    }
  }

  /** After a Fault the thread is unusable, so it is given up: the next call loads it from the disk. */
  async use<Result>(work: (thread: Thread) => Promise<Result>): Promise<Result | EngineRefused> {
    const { gate } = this.#keeper;
    return gate.isInside ? engineRefused(heldByCallerRefusal(this.#id)) : gate.enter(() => this.#used(work));
  }

  async #used<Result>(work: (thread: Thread) => Promise<Result>): Promise<Result | EngineRefused> {
    this.#uses++;
    try {
      const thread = await this.#load();
      return 'outcome' in thread ? thread : await work(thread);
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
    this.#known = captureLastKnownThread(thread);
    this.#thread = undefined;
    clearTimeout(this.#idle);
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#thread === undefined || !this.isKept) return;
    this.#idle = setTimeout(() => {
      if (this.#isIdle) void this.giveUp().catch(() => {});
      else this.#rest();
    }, this.#keeper.idleMs);
    this.#idle.unref();
  }

  get #isIdle(): boolean {
    return this.#clients.isIdle() && !this.isBusy && this.#uses === 0 && !this.hub.isFollowed;
  }
}

export const threadsClosedRefusal: Outcome<'threads-closed'> = {
  code: 'threads-closed',
  message: 'The threads of this program are closed.',
  next: 'Start the program again.',
};

export function threadClosedRefusal(id: ThreadId, { isKept }: { readonly isKept: boolean }): Outcome<'thread-closed'> {
  const next = isKept ? 'Load it again by its id.' : 'Start a new one: it was ephemeral.';
  return { code: 'thread-closed', message: `Thread ${id} is closed.`, next };
}

export function threadBusyRefusal(id: ThreadId): Outcome<'thread-busy'> {
  const message = `A turn of thread ${id} runs or waits for an answer.`;
  return { code: 'thread-busy', message, next: 'Interrupt it, or wait until it has ended.' };
}

/** The refusal if work on the thread as a whole, or work that this work waits for, uses the thread. */
export function heldByCallerRefusal(id: ThreadId): Outcome<'thread-held'> {
  const message = `This call would wait for itself: it is part of work on thread ${id} as a whole, or that work waits for it.`;
  return { code: 'thread-held', message, next: 'Use the thread after that work has ended.' };
}

export function ephemeralThreadRefusal(id: ThreadId): Outcome<'thread-ephemeral'> {
  const message = `Thread ${id} is ephemeral: it has no file to roll back or change.`;
  return { code: 'thread-ephemeral', message, next: 'Start a thread that is not ephemeral.' };
}
