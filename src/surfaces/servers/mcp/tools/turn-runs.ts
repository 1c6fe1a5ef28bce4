import type { SettingsChange } from '../../../../core/envelope/read-settings-change.ts';
import type { EngineRefused } from '../../../../engine/engine-refused.ts';
import type { TurnResult } from '../../../../engine/thread/turn/settle-turn.ts';
import type { LiveNews, LiveThread } from '../../../../engine/live/live-thread-types.ts';
import { clientLeftReason } from '../../../../protocol/abort.ts';
import { messageOfThrown } from '../../../../protocol/display-text.ts';
import type { ThreadId, TurnId } from '../../../../protocol/ids.ts';
import { Fault, type Outcome, endWithFullStop } from '../../../../protocol/outcome.ts';
import type { Answer, Question } from '../../../../protocol/question.ts';
import type { ThreadEvent } from '../../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import type { UserInput } from '../../../../protocol/user-input.ts';
import { threadEventIn, type ThreadFeeds } from '../client-listeners.ts';
import type { CallContext } from '../server-interface.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** The longest delay of a turn's end event on its way to readers. */
const graceMs = 2000;
/** The number of ended turns to remember: a client's answer may come too late. */
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

  /** Queues a new turn for this input behind those that wait. */
  submit(thread: LiveThread, input: UserInput, change?: SettingsChange): TurnRun {
    const first = this.current(thread.id);
    // The input closes a suspended turn. If no call waits for its run, the run ends here.
    if (thread.isSuspended && first?.audience.hasCalls === false) first.settle({ kind: 'aborted' });
    const stopping = new AbortController();
    const stop = (): void => stopping.abort(clientLeftReason);
    // If a turn comes before this one, it takes in the waiting messages.
    const earlier = first === undefined ? thread.waiting : [];
    const run = new TurnRun(thread, { stop, reservedMs: this.#reservedMs, earlier });
    this.#add(run);
    // The input is accepted before this returns.
    const submitted = thread.submit({ input, signal: stopping.signal, change });
    const result = submitted.catch((error) => ({ kind: 'failed', outcome: thrownAsOutcome(error) }) as const);
    void result.then((end) => this.#submitted(run, end));
    return run;
  }

  /** The turn that runs now, or that continues once it has its answer. */
  observe(thread: LiveThread): TurnRun {
    const known = this.current(thread.id);
    if (known !== undefined) return known;
    const turnId = thread.turnId ?? thread.questions[0]?.turnId;
    const stop = (): void => void thread.interrupt().catch(() => {});
    const run = new TurnRun(thread, { turnId, stop, reservedMs: this.#reservedMs });
    this.#add(run);
    return run;
  }

  current(id: ThreadId): TurnRun | undefined {
    return this.#open.get(id)?.runs[0];
  }

  find(turnId: string): TurnRun | undefined {
    const open = [...this.#open.values()].flatMap(({ runs }) => runs);
    return open.find((run) => run.turnId === turnId) ?? this.#over.get(turnId as TurnId);
  }

  /** Call when a call has left. A suspended turn that no client attends is forgotten: it may never continue. */
  letGo(run: TurnRun): void {
    if (!run.isOver && run.audience.isEmpty && run.thread.isSuspended) this.#close(run);
  }

  #add(run: TurnRun): void {
    (this.#open.get(run.thread.id) ?? this.#follow(run.thread)).runs.push(run);
    void run.end.then(() => this.#remove(run));
  }

  #remove(run: TurnRun): void {
    if (run.turnId !== undefined) this.#over.set(run.turnId, run);
    for (const oldest of this.#over.keys()) if (this.#over.size > mostOver) this.#over.delete(oldest);
    this.#close(run);
  }

  #follow(thread: LiveThread) {
    const runs: TurnRun[] = [];
    const open = { runs, close: this.#feeds.read(thread, (news) => runs.find((run) => !run.isOver)?.read(news)) };
    this.#open.set(thread.id, open);
    return open;
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

  /** The thread's result may come before its event, which clients must see first. */
  async #submitted(run: TurnRun, result: TurnResult | EngineRefused): Promise<void> {
    if (isTold(result)) await Promise.race([run.ended(), wait(graceMs, undefined, { ref: false })]);
    run.settle(result.kind === 'refused' ? { kind: 'failed', outcome: result.outcome } : result);
  }
}

const notBegun: readonly string[] = ['odd-input', 'thread-closed'];

function isTold(result: TurnResult | EngineRefused): boolean {
  if (result.kind === 'aborted') return result.isWithdrawn !== true;
  return result.kind !== 'refused' && (result.kind !== 'failed' || !notBegun.includes(result.outcome.code));
}

/** Turns an error thrown while the server worked on a call into an outcome: the server keeps running. */
export function thrownAsOutcome(error: unknown): Outcome {
  if (error instanceof Fault) return { code: error.code, message: error.message, next: error.next };
  return {
    code: 'internal-error',
    message: `Internal error: ${endWithFullStop(messageOfThrown(error))}`,
    next: 'Call again. If it fails again, report the bug and include this message.',
  };
}

export type TurnRunEnd = { readonly lastMessage?: string } & (
  | { readonly kind: 'completed' | 'aborted' | 'suspended' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
);

interface TurnRunOptions {
  readonly turnId?: TurnId;
  readonly stop: () => void;
  /** The time for which a question stays reserved for a client that has no connection and does not come back. */
  readonly reservedMs: number;
  readonly earlier?: readonly string[];
}

/** One turn, for all calls that wait for its end, also the one that brings an answer of the user to it. */
export class TurnRun {
  readonly thread: LiveThread;
  readonly audience: TurnAudience;
  readonly earlier: readonly string[];
  readonly #end = Promise.withResolvers<TurnRunEnd>();
  readonly end = this.#end.promise;
  readonly #reviewed = new Set<string>();
  readonly #answers = new Map<string, Answer['kind']>();
  /** Questions in full: the thread's state shortens long commands. */
  readonly #asked = new Map<string, { readonly question: Question; readonly item?: TurnItem }>();
  readonly #waiting = new Set<() => void>();
  #turnId: TurnId | undefined;
  #hasWords = false;
  #hasEnded = false;
  #isOver = false;

  constructor(thread: LiveThread, { turnId, stop, reservedMs, earlier = [] }: TurnRunOptions) {
    this.thread = thread;
    this.earlier = earlier;
    this.#turnId = turnId;
    this.#hasWords = turnId !== undefined;
    this.audience = new TurnAudience({
      stop: () => (this.#isOver ? undefined : stop()),
      changed: () => this.#wake(),
      reservedMs,
    });
  }

  /** Undefined before it begins. */
  get turnId(): TurnId | undefined {
    return this.#turnId;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the end of the most recent turn was read. */
  async ended(): Promise<void> {
    while (!this.#hasEnded) await this.changed();
  }

  get questions(): readonly Question[] {
    if (this.#turnId === undefined || this.#isOver) return [];
    return this.thread.questions
      .filter(({ id, turnId }) => turnId === this.#turnId && !this.#reviewed.has(id))
      .map((question) => this.#asked.get(question.id)?.question ?? question);
  }

  /** The call in question, as far as this process has seen it. */
  itemOf({ id }: Question): TurnItem | undefined {
    return this.#asked.get(id)?.item;
  }

  /** Undefined while the question is open, or its answer was not read. */
  answerTo(id: string): Answer['kind'] | undefined {
    return this.#answers.get(id);
  }

  /** Resolves when the turn is over or its questions may have changed. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  read(news: LiveNews): void {
    const event = threadEventIn(news);
    if (event === undefined) return;
    // A preceding compaction is a turn, too, but has no input of the user.
    if (event.kind === 'turn-started' && !this.#hasWords) {
      this.#turnId = event.turnId;
      this.#hasEnded = false;
    }
    if (!('turnId' in event) || event.turnId !== this.#turnId) return;
    if (isTurnEnd(event)) {
      this.#hasEnded = true;
      // Another model continues: the answer is that of the following turn.
      if (event.kind === 'turn-failed' && event.continuedBy !== undefined) this.#hasWords = false;
      if (this.#hasWords) this.settle(endOf(event));
      return this.#wake();
    }
    switch (event.kind) {
      case 'context':
        if (event.cause === 'user') this.#hasWords = true;
        return;
      case 'question-asked':
        if (event.to === 'review') this.#reviewed.add(event.question.id);
        else this.#asked.set(event.question.id, event);
        return this.#wake();
      case 'question-answered':
        this.#answers.set(event.id, event.answer.kind);
        this.#asked.delete(event.id);
        this.audience.answered(event.id);
        return this.#wake();
      default:
    }
  }

  /** Only the first end counts. */
  settle(end: TurnRunEnd): void {
    this.#isOver = true;
    this.audience.over();
    this.#end.resolve(end);
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

type TurnEndEvent = Extract<
  ThreadEvent,
  { kind: 'turn-completed' | 'turn-failed' | 'turn-aborted' | 'turn-suspended' }
>;

export const isTurnEnd = (event: ThreadEvent): event is TurnEndEvent =>
  ['turn-completed', 'turn-failed', 'turn-aborted', 'turn-suspended'].includes(event.kind);

function endOf(event: TurnEndEvent): TurnRunEnd {
  switch (event.kind) {
    case 'turn-completed':
      return { kind: 'completed', lastMessage: event.lastMessage };
    case 'turn-failed':
      return { kind: 'failed', outcome: event.outcome, lastMessage: event.lastMessage };
    case 'turn-aborted':
      return { kind: 'aborted' };
    case 'turn-suspended':
      return { kind: 'suspended' };
  }
}

type Asking = { readonly client: string; readonly questions: Set<string>; isReserved: boolean; end(): void };

interface Audience {
  /** Ends the turn. Called when the last client is gone, if the turn depended on one of them. */
  stop(): void;
  /** Called when a client that asks its user is gone or stays away too long: others may answer now. */
  changed(): void;
  readonly reservedMs: number;
}

export interface AttendOptions {
  /** False: the turn belongs to another call, and continues when this client is gone. */
  readonly keeps: boolean;
  /** The name that `asks` returned, for a call that comes back from its user. */
  readonly asked?: string | undefined;
}

/** The calls that wait for a turn, and those whose clients are asking their users. Each leaves independently. */
class TurnAudience {
  readonly #audience: Audience;
  readonly #asking = new Map<string, Asking>();
  #calls = 0;
  #isAbandoned = false;

  constructor(audience: Audience) {
    this.#audience = audience;
  }

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  get isEmpty(): boolean {
    return this.#calls === 0 && this.#asking.size === 0;
  }

  /** The call waits until the returned function is called, or its client is gone. */
  join(signal: AbortSignal, { keeps, asked }: AttendOptions): () => void {
    this.#calls++;
    if (asked !== undefined) this.#asking.get(asked)?.end();
    const gone = (): void => {
      leave();
      this.#gone(keeps);
    };
    let isJoined = true;
    const leave = (): void => {
      if (!isJoined) return;
      isJoined = false;
      this.#calls--;
      signal.removeEventListener('abort', gone);
    };
    signal.addEventListener('abort', gone, { once: true });
    if (signal.aborted) gone();
    return leave;
  }

  /** The client of a call asks its user. Returns the name under which the call comes back. */
  asks(
    { client, signal }: Pick<CallContext, 'client' | 'signal'>,
    questions: readonly Question[],
    { keeps }: Pick<AttendOptions, 'keeps'>,
  ): string {
    // The client may keep it beyond this process: a counter would restart.
    const name = randomUUID();
    const gone = (): void => {
      end();
      this.#gone(keeps);
    };
    // The end of a client without a connection cannot be seen.
    const timer = client.stays ? undefined : setTimeout(() => this.#release(name), this.#audience.reservedMs).unref();
    const end = (): void => {
      clearTimeout(timer);
      this.#asking.delete(name);
      signal.removeEventListener('abort', gone);
    };
    const ids = new Set(questions.map(({ id }) => id));
    this.#asking.set(name, { client: client.id, questions: ids, isReserved: true, end });
    signal.addEventListener('abort', gone, { once: true });
    if (signal.aborted) gone();
    return name;
  }

  answered(question: string): void {
    for (const { questions, end } of this.#asking.values()) {
      if (questions.delete(question) && questions.size === 0) end();
    }
  }

  /** True if a present client, other than `except`, asks its user this: meanwhile no client's model may answer. */
  isReserved(question: string, except?: string): boolean {
    // Without `except`: not even the asking client's own model may answer.
    return [...this.#asking.values()].some(
      ({ client, isReserved, questions }) => isReserved && client !== except && questions.has(question),
    );
  }

  over(): void {
    for (const { end } of this.#asking.values()) end();
  }

  /** The client stays away too long: others may answer as well. Its own answer still counts if it is the first. */
  #release(name: string): void {
    const asking = this.#asking.get(name);
    if (asking === undefined) return;
    asking.isReserved = false;
    this.#audience.changed();
  }

  #gone(keeps: boolean): void {
    if (keeps) this.#isAbandoned = true;
    if (this.#isAbandoned && this.isEmpty) this.#audience.stop();
    else this.#audience.changed();
  }
}
