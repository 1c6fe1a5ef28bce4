import {
  functionOption,
  positiveNumberOption,
  validateOptions,
  trueOnlyOption,
} from '../../core/envelope/read-options.ts';
import type { OptionReaders } from '../../core/envelope/read-options.ts';
import { defined } from '../../base/objects.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadCut } from '../../protocol/thread.ts';
import type { Engine } from '../engine.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import type { OpenedThread } from '../thread-setup/open-thread.ts';
import { argumentProblem, threadIdOption } from '../check-arguments.ts';
import type { StoredThreads } from '../store/stored-threads.ts';
import { type ThreadRequest, threadOptions } from '../thread-request.ts';
import { lastSettings } from '../../core/state/resumed-settings.ts';
import type { ThreadState } from '../../core/state/thread-state.ts';
import { awaitClientAnswer } from '../thread/open-questions.ts';
import { ManagedThread } from './managed-thread.ts';
import {
  ephemeralThreadRefusal,
  heldByCallerRefusal,
  threadBusyRefusal,
  threadsClosedRefusal,
} from './thread-loader.ts';
import type { LiveRequest, LiveThread, LiveThreads } from './live-thread-types.ts';
import { emptyThreadRefusal, ThreadGate } from './thread-gate.ts';

export interface LiveOptions {
  /** Time that an inactive thread without followers stays loaded. Absent: half an hour. */
  readonly idleMs?: number;
}

const known = new WeakMap<Engine, LiveThreads>();

/** An engine's threads for any number of clients. Each engine has one, made on first use. */
export function liveThreads(engine: Engine, options: LiveOptions = {}): LiveThreads {
  const read = validateOptions<LiveOptions>(options, { idleMs: idleOption }, 'liveThreads()');
  // Refuses every use with the reason.
  if ('code' in read) return new KeptThreads(engine, { refused: read });
  const threads = known.get(engine) ?? new KeptThreads(engine, read);
  known.set(engine, threads);
  return threads;
}

const idleOption = {
  type: { ...positiveNumberOption, expected: 'a number of milliseconds greater than 0' },
} as const;

const liveOptions = {
  ...threadOptions,
  unattended: { type: trueOnlyOption },
} as const satisfies OptionReaders<LiveRequest>;

class KeptThreads implements LiveThreads {
  readonly #engine: Engine;
  readonly #idleMs: number;
  readonly #threads = new Map<ThreadId, ManagedThread>();
  /** Gates of the threads in `#threads`, and of other threads while work on them as a whole runs. */
  readonly #gates = new Map<ThreadId, ThreadGate>();
  readonly #requests = new Map<ThreadId, ThreadRequest>();
  /** Threads being loaded with `folderMayBeMissing`. */
  readonly #moving = new Set<ThreadId>();
  /** Threads that a client is closing; settles when they are closed. */
  readonly #closing = new Map<ThreadId, Promise<void>>();
  #over: Outcome | undefined;

  constructor(engine: Engine, { idleMs = 30 * 60_000, refused }: LiveOptions & { readonly refused?: Outcome }) {
    this.#engine = engine;
    this.#idleMs = idleMs;
    this.#over = refused;
    if (refused !== undefined) return;
    engine.forLive.beforeClose(() => this.close());
    engine.forLive.openAgents(this);
  }

  get loaded(): readonly LiveThread[] {
    return [...this.#threads.values()].filter(isLoaded);
  }

  agentsOf(id: ThreadId): readonly LiveThread[] {
    return this.#agentsOf(id).filter(isLoaded);
  }

  knows(id: string): boolean {
    return this.#threads.get(id as ThreadId)?.loader.isHere === true;
  }

  async start(request: LiveRequest & { readonly cwd: string }): Promise<LiveThread | EngineRefused> {
    if (this.#over !== undefined) return engineRefused(this.#over);
    const read = validateOptions<LiveRequest>(request, liveOptions, 'start()');
    if ('code' in read) return engineRefused(read);
    const { cwd, ...asked } = withAnswers(read);
    // The engine refuses a request without a folder.
    return this.#adopted(await this.#engine.start({ ...asked, cwd: cwd! }), { ...asked, ...defined({ cwd }) });
  }

  async fork(id: ThreadId, cut: ThreadCut, request: LiveRequest = {}): Promise<LiveThread | EngineRefused> {
    if (this.#over !== undefined) return engineRefused(this.#over);
    const read = validateOptions<LiveRequest>(request, liveOptions, 'fork()');
    if ('code' in read) return engineRefused(read);
    const asked = withAnswers(read);
    const empty = await emptyThreadRefusal(this.#engine.stored, this.#threads.get(id));
    if (empty !== undefined) return engineRefused(empty);
    return this.#adopted(await this.#engine.fork(id, cut, asked), asked);
  }

  async load(id: ThreadId, given: LiveRequest = {}): Promise<LiveThread | EngineRefused> {
    const problem = argumentProblem('load()', { id: [threadIdOption, id] });
    const read = problem ?? validateOptions<LiveRequest>(given, liveOptions, 'load()');
    if ('code' in read) return engineRefused(read);
    const { folderMayBeMissing, ...request } = read;
    // Work on the thread as a whole must not wait, since the closing may wait for it.
    const closing = this.#gates.get(id)?.isInside === true ? undefined : this.#closing.get(id);
    if (closing !== undefined) await closing;
    if (this.#over !== undefined) return engineRefused(this.#over);
    const known = this.#threads.get(id);
    const kept = known ?? this.#keep(id, withAnswers(request));
    if (folderMayBeMissing === true) this.#moving.add(id);
    const loaded = await kept.loader.use((thread) => Promise.resolve(thread)).finally(() => this.#moving.delete(id));
    if (!('outcome' in loaded)) return kept;
    // Keep a thread that was loaded before: clients have its object.
    if (known === undefined) this.#drop(kept);
    return loaded;
  }

  async whole<Result>(id: ThreadId, work: (stored: StoredThreads) => Promise<Result | EngineRefused>) {
    const problem = argumentProblem('whole()', { id: [threadIdOption, id], work: [functionOption(), work] });
    if (problem !== undefined) return engineRefused(problem);
    if (this.#over !== undefined) return engineRefused(this.#over);
    const gate = this.#gate(id);
    if (gate.isInside) return engineRefused(heldByCallerRefusal(id));
    const asked = this.#threads.get(id);
    if (asked?.loader.isKept === false) return engineRefused(ephemeralThreadRefusal(id));
    if (asked?.isBusy === true) return engineRefused(threadBusyRefusal(id));
    const { stored } = this.#engine;
    try {
      return await gate.alone(async () => {
        // An earlier answer may have continued a turn.
        const kept = this.#threads.get(id);
        if (kept?.loader.thread?.isBusy === true) return engineRefused(threadBusyRefusal(id));
        const empty = kept === undefined ? undefined : await emptyThreadRefusal(stored, kept);
        if (empty !== undefined) return engineRefused(empty);
        return kept === undefined ? work(stored) : kept.loader.whileAway(() => work(stored));
      });
    } finally {
      if (gate.isEmpty && !this.#threads.has(id)) this.#gates.delete(id);
    }
  }

  preview(id: ThreadId, state: ThreadState): ReturnType<LiveThreads['preview']> {
    const thread = this.#threads.get(id);
    const kept =
      thread !== undefined && isLoaded(thread) ? { settings: thread.settings, last: lastSettings(state) } : undefined;
    // A thread that no client has opened here is foreseen with the settings of its newest turn.
    return this.#engine.preview(id, state, { ...defined({ request: this.#requests.get(id) }), kept });
  }

  async close(): Promise<void> {
    this.#over ??= threadsClosedRefusal;
    for (const gate of this.#gates.values()) await gate.opened();
    const ended = await Promise.allSettled(
      [...this.#threads.values()].map(({ loader }) => loader.end(threadsClosedRefusal)),
    );
    for (const result of ended) if (result.status === 'rejected') throw result.reason;
  }

  async #adopted(opened: OpenedThread | EngineRefused, request: ThreadRequest): Promise<LiveThread | EngineRefused> {
    if (opened.kind === 'refused') return opened;
    const kept = this.#keep(opened.thread.id, request);
    await kept.loader.adopt(opened);
    if (this.#over !== undefined) await kept.loader.end(this.#over);
    return kept;
  }

  #keep(id: ThreadId, request: ThreadRequest): ManagedThread {
    const kept = new ManagedThread(id, {
      open: async (known) => {
        const { forLive, stored } = this.#engine;
        const asked = this.#moving.has(id) ? { ...request, folderMayBeMissing: true as const } : request;
        const hasFile = known?.isEmpty !== true || (await stored.location(id)) !== undefined;
        return hasFile ? forLive.resume(id, asked, known) : forLive.startAgain(id, asked, known);
      },
      isKept: request.ephemeral !== true,
      idleMs: this.#idleMs,
      gate: this.#gate(id),
      store: this.#engine.forLive.store,
      forget: (end) => this.#forget(kept, end),
    });
    this.#threads.set(id, kept);
    this.#requests.set(id, request);
    return kept;
  }

  /** Agents of an ephemeral thread are ephemeral too, and no other thread can reach them. */
  async #forget(kept: ManagedThread, end: () => Promise<void>): Promise<void> {
    const { id } = kept;
    const closed = end().finally(() => this.#drop(kept));
    const over = (): void => {
      if (this.#closing.get(id) === closing) this.#closing.delete(id);
    };
    const closing: Promise<void> = closed.then(over, over);
    this.#closing.set(id, closing);
    try {
      await closed;
    } finally {
      if (!kept.loader.isKept) await Promise.all(this.#agentsOf(id).map((agent) => agent.close()));
    }
  }

  #drop(kept: ManagedThread): void {
    const { id } = kept;
    if (this.#threads.get(id) !== kept) return;
    this.#threads.delete(id);
    this.#requests.delete(id);
    const gate = this.#gates.get(id);
    if (gate !== undefined) void this.#dropGate(id, gate);
  }

  async #dropGate(id: ThreadId, gate: ThreadGate): Promise<void> {
    // An ended use of the thread may not have returned yet.
    await gate.quiet();
    if (gate.isEmpty && !this.#threads.has(id) && this.#gates.get(id) === gate) this.#gates.delete(id);
  }

  #agentsOf(id: ThreadId): readonly ManagedThread[] {
    return [...this.#threads.values()].filter((each) => this.#requests.get(each.id)?.agent?.rootId === id);
  }

  #gate(id: ThreadId): ThreadGate {
    const gate = this.#gates.get(id) ?? new ThreadGate();
    this.#gates.set(id, gate);
    return gate;
  }
}

/** Clients answer, unless the program that opens the thread does or the thread is unattended. */
const withAnswers = <Request extends LiveRequest>({ unattended, ...request }: Request) =>
  unattended === true || request.askUser !== undefined ? request : { ...request, askUser: awaitClientAnswer };

const isLoaded = ({ loader }: ManagedThread): boolean => loader.thread !== undefined;
