import { ownCost } from '../../core/state/fold/agents.ts';
import { type LastSettings, lastSettings } from '../../core/state/resumed-settings.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { StoredThreads } from '../store/stored-threads.ts';
import type { Answered } from '../thread/client-input.ts';
import type { Thread } from '../thread/thread.ts';
import type { AsyncLocalStorage } from 'node:async_hooks';

/** State of a thread that is kept while it is not loaded. */
export interface LastKnownThread extends Pick<
  Thread,
  'settings' | 'takesPictures' | 'questions' | 'isSuspended' | 'usage'
> {
  readonly last: LastSettings;
  readonly isEmpty: boolean;
  readonly cost: Usage;
}

export function captureLastKnownThread(thread: Thread): LastKnownThread {
  const { settings, takesPictures, questions, isSuspended, usage, state } = thread;
  const known = { settings, takesPictures, questions, isSuspended, usage };
  return { ...known, last: lastSettings(state), isEmpty: state.turns === 0, cost: costOfThread(thread) };
}

/** Without what an agent inherited from its parent's conversation. */
export const costOfThread = ({ state }: Thread): Usage => ownCost(state.usage.total, state.meta);

export async function emptyThreadRefusal(
  stored: Pick<StoredThreads, 'location'>,
  thread: { readonly id: ThreadId; readonly loader: { readonly isHere: boolean } } | undefined,
): Promise<Outcome<'thread-empty'> | undefined> {
  if (thread?.loader.isHere !== true || (await stored.location(thread.id)) !== undefined) return undefined;
  return {
    code: 'thread-empty',
    message: `Thread ${thread.id} has no message yet, so it has no history and no file.`,
    next: 'Send it a message first. Nothing was changed.',
  };
}

/** The reason why a suspended turn could not continue says more than the refusal of an answer to its question. */
export async function suspendedAnswerRefusal<Given extends Answered>(
  thread: Pick<Thread, 'isSuspended'>,
  answered: Given,
  ended: ReturnType<Thread['continue']>,
): Promise<Given | Extract<Answered, { kind: 'refused' }>> {
  if (answered.kind === 'answered' || !thread.isSuspended) return answered;
  const end = await ended;
  return end.kind === 'refused' ? end : answered;
}

/** Orders the uses of one thread, which run concurrently; work on the whole runs alone, in order of request. */
export class ThreadGate {
  #closed: Promise<void> | undefined;
  readonly #entered = new Set<Promise<unknown>>();

  /** True if the caller belongs to work on the whole, or such work waits for the caller: a use would never begin. */
  get isInside(): boolean {
    return this.#closed !== undefined && waitsForCaller(this.#closed);
  }
  get isEmpty(): boolean {
    return this.#closed === undefined && this.#entered.size === 0;
  }

  enter<Result>(use: () => Promise<Result>): Promise<Result> {
    if (this.#closed === undefined) return this.#counted(use());
    noteCallerWaits(this.#closed);
    return this.#counted(this.#closed.then(use));
  }

  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = [...this.#entered, this.#closed];
    const over = Promise.withResolvers<void>();
    const closed = over.promise;
    const run = runAsWork(closed, { after: this.#closed });
    this.#closed = closed;
    // Registered first, so that later callers cannot overtake those that waited.
    void closed.then(() => (this.#closed = this.#closed === closed ? undefined : this.#closed));
    return Promise.allSettled(before)
      .then(() => run(work))
      .finally(() => over.resolve());
  }

  /** Settles when the requested work on the whole is over. */
  async opened(): Promise<void> {
    if (!this.isInside) await this.#closed;
  }

  async quiet(): Promise<void> {
    await Promise.allSettled([...this.#entered, this.#closed]);
  }

  #counted<Result>(use: Promise<Result>): Promise<Result> {
    const leave = (): void => void this.#entered.delete(use);
    this.#entered.add(use);
    use.then(leave, leave);
    return use;
  }
}

/** Work on a thread as a whole, represented by the promise of its end. */
type WholeWork = Promise<void>;
/** The works that the running code is part of. Created on use: few programs do such work. */
let caller: AsyncLocalStorage<ReadonlySet<WholeWork>> | undefined;
const worksOfCaller = (): ReadonlySet<WholeWork> => caller?.getStore() ?? new Set();
/** Maps a work to the works it waits for: those before it, and those that it uses or asks for on other threads. */
const waitsOf = new WeakMap<WholeWork, Set<WholeWork>>();

function addWait(work: WholeWork, other: WholeWork): void {
  const waits = waitsOf.get(work) ?? new Set();
  waitsOf.set(work, waits.add(other));
  void other.then(() => waits.delete(other));
}

function noteCallerWaits(work: WholeWork): void {
  for (const own of worksOfCaller()) addWait(own, work);
}

/** True if a work of the caller must end before this one, or is this one. */
function waitsForCaller(work: WholeWork, seen = new Set<WholeWork>()): boolean {
  if (worksOfCaller().has(work)) return true;
  if (seen.has(work)) return false;
  seen.add(work);
  return [...(waitsOf.get(work) ?? [])].some((other) => waitsForCaller(other, seen));
}

/** Notes that the caller waits for this work, which begins after `after`. The result runs code as part of it, too. */
function runAsWork(
  work: WholeWork,
  { after }: { readonly after: WholeWork | undefined },
): <Result>(run: () => Promise<Result>) => Promise<Result> {
  if (after !== undefined) addWait(work, after);
  noteCallerWaits(work);
  const works = new Set([...worksOfCaller(), work]);
  const storage = (caller ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)());
  return (run) => storage.run(works, run);
}
