import type { SettingsChange } from '../../../envelope/override-fields.ts';
import type { ThreadId, TurnId } from '../../../protocol/ids.ts';
import { clientLeft } from '../../../protocol/stopped-by.ts';
import type { UserInput } from '../../../protocol/user-input.ts';
import type { EngineRefused } from '../../engine/engine-refused.ts';
import type { TurnResult } from '../../engine/engine-types.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import type { ThreadFeeds } from '../events/thread-feed.ts';
import { lostOutcome } from './lost-outcome.ts';
import { type RunEnd, TurnRun, type TurnRunOptions } from './turn-run.ts';

/** How long the end of a turn may be on its way to its readers. */
const graceMs = 2000;

/** How many turns that ended are known: a client may bring an answer that came too late. */
const mostOver = 200;

/** The turns that calls wait for, by thread, in the order in which they run. */
export class TurnRuns {
  readonly #feeds: ThreadFeeds;
  readonly #open = new Map<ThreadId, { readonly runs: TurnRun[]; readonly close: () => void }>();
  readonly #over = new Map<TurnId, TurnRun>();

  readonly #reservedMs: number;

  constructor(feeds: ThreadFeeds, { reservedMs }: Pick<TurnRunOptions, 'reservedMs'>) {
    this.#feeds = feeds;
    this.#reservedMs = reservedMs;
  }

  /** A turn of its own for these words, after those that wait. */
  submit(thread: LiveThread, input: UserInput, change?: SettingsChange): TurnRun {
    const first = this.current(thread.id);
    // The words close a suspended turn. No answer of a call that still waits can continue it.
    if (thread.isSuspended && first?.audience.hasCalls === false) first.settle({ kind: 'aborted' });
    const stopping = new AbortController();
    const stop = (): void => stopping.abort(clientLeft);
    // A turn before it takes them in.
    const earlier = first === undefined ? thread.waiting : [];
    const run = new TurnRun(thread, { stop, reservedMs: this.#reservedMs, earlier });
    this.#add(run);
    const turn = { input, signal: stopping.signal, ...(change === undefined ? {} : { change }) };
    // The words are taken over before this returns.
    const submitted = thread
      .submit(turn)
      .catch((error: unknown) => ({ kind: 'failed', outcome: lostOutcome(error) }) as const);
    void submitted.then((result) => this.#submitted(run, result));
    return run;
  }

  /** The turn that runs now, or that goes on once it has its answer. */
  observe(thread: LiveThread): TurnRun {
    const known = this.current(thread.id);
    if (known !== undefined) return known;
    const turnId = thread.turnId ?? thread.questions[0]?.turnId;
    const stop = (): void => void thread.interrupt().catch(() => {});
    const run = new TurnRun(thread, { ...(turnId && { turnId }), stop, reservedMs: this.#reservedMs });
    this.#add(run);
    return run;
  }

  current(id: ThreadId): TurnRun | undefined {
    return this.#open.get(id)?.runs[0];
  }

  /** One that runs, waits or ended. */
  find(turnId: string): TurnRun | undefined {
    const open = [...this.#open.values()].flatMap(({ runs }) => runs);
    return open.find((run) => run.turnId === turnId) ?? this.#over.get(turnId as TurnId);
  }

  /** A call has left. A turn that is still suspended and that no client attends is forgotten: it may never continue. */
  letGo(run: TurnRun): void {
    if (!run.isOver && run.audience.isEmpty && run.thread.isSuspended) this.#close(run);
  }

  #add(run: TurnRun): void {
    const { id } = run.thread;
    const open = this.#open.get(id) ?? this.#follow(run.thread);
    open.runs.push(run);
    void run.end.then(() => this.#remove(run));
  }

  #follow(thread: LiveThread): { readonly runs: TurnRun[]; readonly close: () => void } {
    const runs: TurnRun[] = [];
    const close = this.#feeds.read(thread, (news) => runs.find((run) => !run.isOver)?.read(news));
    const open = { runs, close };
    this.#open.set(thread.id, open);
    return open;
  }

  #remove(run: TurnRun): void {
    if (run.turnId !== undefined) this.#over.set(run.turnId, run);
    for (const oldest of this.#over.keys()) if (this.#over.size > mostOver) this.#over.delete(oldest);
    this.#close(run);
  }

  #close(run: TurnRun): void {
    const open = this.#open.get(run.thread.id);
    const place = open?.runs.indexOf(run) ?? -1;
    if (open === undefined || place < 0) return;
    open.runs.splice(place, 1);
    if (open.runs.length > 0) return;
    this.#open.delete(run.thread.id);
    open.close();
  }

  /** What the thread answers may come before its event, which clients are to see first. */
  async #submitted(run: TurnRun, result: TurnResult | EngineRefused): Promise<void> {
    if (isTold(result)) await Promise.race([run.ended(), soon(graceMs)]);
    run.settle(result.kind === 'refused' ? { kind: 'failed', outcome: result.outcome } : asEnd(result));
  }
}

/** Of turns that fail before they begin. */
const notBegun: readonly string[] = ['odd-input', 'thread-closed'];

/** Whether the end of the turn is an event. */
function isTold(result: TurnResult | EngineRefused): boolean {
  if (result.kind === 'aborted') return result.isWithdrawn !== true;
  return result.kind !== 'refused' && (result.kind !== 'failed' || !notBegun.includes(result.outcome.code));
}

function asEnd(result: TurnResult): RunEnd {
  const { lastMessage } = result;
  const said = lastMessage === undefined ? {} : { lastMessage };
  return result.kind === 'failed'
    ? { kind: 'failed', outcome: result.outcome, ...said }
    : { kind: result.kind, ...said };
}

function soon(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
