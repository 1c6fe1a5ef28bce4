import type { SettingsChange } from '../../../../core/envelope/settings-change.ts';
import type { EngineRefused } from '../../../../engine/engine-refused.ts';
import type { TurnResult } from '../../../../engine/engine-types.ts';
import type { LiveNews, LiveThread } from '../../../../engine/live/live-thread-types.ts';
import { clientLeft } from '../../../../protocol/abort.ts';
import { thrownMessage } from '../../../../protocol/display-text.ts';
import type { ThreadId, TurnId } from '../../../../protocol/ids.ts';
import { Fault, type Outcome, sentence } from '../../../../protocol/outcome.ts';
import type { Answer, Question } from '../../../../protocol/question.ts';
import type { ThreadEvent } from '../../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../../protocol/turn-item.ts';
import type { UserInput } from '../../../../protocol/user-input.ts';
import { threadEventIn, type ThreadFeeds } from '../client-listeners.ts';
import type { CallContext } from '../server-interface.ts';
import { randomUUID } from 'node:crypto';

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
      .catch((error: unknown) => ({ kind: 'failed', outcome: thrownAsOutcome(error) }) as const);
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

/** What was thrown while the server worked on a call, as an outcome: the server lives on. */
export function thrownAsOutcome(error: unknown): Outcome {
  if (error instanceof Fault) return { code: error.code, message: error.message, next: error.next };
  return {
    code: 'internal-error',
    message: `Internal error: ${sentence(thrownMessage(error))}`,
    next: 'Call again. If it fails again, report the bug and include this message.',
  };
}

/** How a turn ended, for the calls that wait for it. */
export type RunEnd = { readonly lastMessage?: string } & (
  | { readonly kind: 'completed' | 'aborted' | 'suspended' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
);

interface TurnRunOptions {
  readonly turnId?: TurnId;
  /** Ends the turn. */
  readonly stop: () => void;
  /** So long a question belongs to a client that has no connection and does not come back. */
  readonly reservedMs: number;
  /** Messages that it begins with and that were accepted before it. */
  readonly earlier?: readonly string[];
}

/**
 * One turn of a thread as the calls see it that wait for its end. The turn does not depend on a call: a call that gave its
 * client a question is over, and the call that brings the answer waits for the same turn.
 */
export class TurnRun {
  readonly thread: LiveThread;
  readonly audience: TurnAudience;
  readonly earlier: readonly string[];
  readonly #end = Promise.withResolvers<RunEnd>();
  readonly #reviewed = new Set<string>();
  readonly #answers = new Map<string, Answer['kind']>();
  /** As they were asked: the state of the thread has long commands only in part. */
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

  /** Resolves when the end of the turn that began last was read. */
  async ended(): Promise<void> {
    while (!this.#hasEnded) await this.changed();
  }

  get end(): Promise<RunEnd> {
    return this.#end.promise;
  }

  /** What the turn waits for a user to answer. */
  get questions(): readonly Question[] {
    if (this.#turnId === undefined || this.#isOver) return [];
    return this.thread.questions
      .filter(({ id, turnId }) => turnId === this.#turnId && !this.#reviewed.has(id))
      .map((question) => this.#asked.get(question.id)?.question ?? question);
  }

  /** The call that is asked about, as far as this process has seen it. */
  itemOf({ id }: Question): TurnItem | undefined {
    return this.#asked.get(id)?.item;
  }

  /** How a question was answered; undefined as long as it is open, or was not read. */
  answerTo(id: string): Answer['kind'] | undefined {
    return this.#answers.get(id);
  }

  /** Resolves when the turn is over or may have a question more or less. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        resolve();
      };
      this.#waiting.add(done);
    });
  }

  read(news: LiveNews): void {
    const event = threadEventIn(news);
    if (event !== undefined) this.#readEvent(event);
  }

  #readEvent(event: ThreadEvent): void {
    // A compaction that comes before it is a turn, too, but has no words of the user.
    if (event.kind === 'turn-started' && !this.#hasWords) {
      this.#turnId = event.turnId;
      this.#hasEnded = false;
    }
    if (!('turnId' in event) || event.turnId !== this.#turnId) return;
    if (isTurnEnd(event)) {
      this.#hasEnded = true;
      // Another model continues: the answer is that of the turn that follows.
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

  /** The first end counts. */
  settle(end: RunEnd): void {
    this.#isOver = true;
    this.audience.over();
    this.#end.resolve(end);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

type EndEvent = Extract<ThreadEvent, { kind: 'turn-completed' | 'turn-failed' | 'turn-aborted' | 'turn-suspended' }>;

export function isTurnEnd(event: ThreadEvent): event is EndEvent {
  return ['turn-completed', 'turn-failed', 'turn-aborted', 'turn-suspended'].includes(event.kind);
}

function endOf(event: EndEvent): RunEnd {
  switch (event.kind) {
    case 'turn-completed':
      return { kind: 'completed', ...saidOf(event) };
    case 'turn-failed':
      return { kind: 'failed', outcome: event.outcome, ...saidOf(event) };
    case 'turn-aborted':
      return { kind: 'aborted' };
    case 'turn-suspended':
      return { kind: 'suspended' };
  }
}

function saidOf({ lastMessage }: { readonly lastMessage?: string }): { readonly lastMessage?: string } {
  return lastMessage === undefined ? {} : { lastMessage };
}

/** A client that was given questions and comes back with the answers. */
interface Asking {
  readonly client: string;
  /** Those that are still open. */
  readonly questions: Set<string>;
  /** Whether no other client may answer meanwhile. */
  isReserved: boolean;
  end(): void;
}

interface Audience {
  /** Ends the turn; called when the last client is gone, and one of them had to keep the turn alive. */
  stop(): void;
  /** A client is gone that asked its user, or stays away too long: others may answer now. */
  changed(): void;
  /** So long a question belongs to a client that has no connection and does not come back. */
  readonly reservedMs: number;
}

export interface Attending {
  /** False: the turn is another call's, and goes on when this client is gone. */
  readonly keeps: boolean;
  /** The name that `asks` gave, of a call that comes back from its user. */
  readonly asked?: string | undefined;
}

/** The calls that wait for a turn, and those whose clients ask their users meanwhile. Each leaves for itself alone. */
class TurnAudience {
  readonly #audience: Audience;
  readonly #asking = new Map<string, Asking>();
  #calls = 0;
  #isAbandoned = false;

  constructor(audience: Audience) {
    this.#audience = audience;
  }

  /** Whether a call waits for the turn now. */
  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  get isEmpty(): boolean {
    return this.#calls === 0 && this.#asking.size === 0;
  }

  /** A call waits until the function that it gives is called, or its client is gone. */
  join(signal: AbortSignal, { keeps, asked }: Attending): () => void {
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

  /** The client of a call asks its user. Gives the name by which the call comes back. */
  asks(
    { client, signal }: Pick<CallContext, 'client' | 'signal'>,
    questions: readonly Question[],
    { keeps }: Pick<Attending, 'keeps'>,
  ): string {
    // It outlives the process at the client: a count would begin again.
    const name = randomUUID();
    const gone = (): void => {
      end();
      this.#gone(keeps);
    };
    // Of a client without a connection nothing says that it is gone.
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

  /** There is an answer, from this client or another. */
  answered(question: string): void {
    for (const { questions, end } of this.#asking.values()) {
      if (questions.delete(question) && questions.size === 0) end();
    }
  }

  /** Whether a client asks its user this, and is still there: no client's model may answer meanwhile, its own neither. */
  isReserved(question: string): boolean {
    return [...this.#asking.values()].some((asking) => asking.isReserved && asking.questions.has(question));
  }

  /** Whether another client asks its user this, and is still there. */
  isAskedElsewhere(question: string, client: string): boolean {
    return [...this.#asking.values()].some(
      (asking) => asking.isReserved && asking.client !== client && asking.questions.has(question),
    );
  }

  /** The turn is over: no client asks about it any more. */
  over(): void {
    for (const { end } of this.#asking.values()) end();
  }

  /** It stays away too long: others may answer as well. Its own answer still counts if it is the first. */
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
