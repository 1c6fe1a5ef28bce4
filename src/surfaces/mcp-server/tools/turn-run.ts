import type { TurnId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import type { LiveNews, LiveThread } from '../../engine/live/live-thread.ts';
import type { CallContext } from '../offer/server-tool.ts';
import { eventOf } from '../events/event-of-news.ts';

/** How a turn ended, for the calls that wait for it. */
export type RunEnd = { readonly lastMessage?: string } & (
  | { readonly kind: 'completed' | 'aborted' | 'suspended' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
);

/** A client that asks its user a question. */
interface Asker {
  readonly client: string;
  readonly signal: AbortSignal;
  /** Ends the time for which no other client may answer. */
  readonly timer: NodeJS.Timeout | undefined;
}

export interface TurnRunOptions {
  readonly turnId?: TurnId;
  readonly stop: () => void;
  /** So long a question belongs to a client that has no connection and does not come back. */
  readonly reservedMs: number;
}

/**
 * One turn of a thread as the calls see it that wait for its end. The turn does not depend on a call: a call that gave its
 * client a question is over, and the call that brings the answer waits for the same turn.
 */
export class TurnRun {
  readonly thread: LiveThread;
  readonly #end = Promise.withResolvers<RunEnd>();
  /** Ends the turn; called when the last client that wanted it is gone. */
  readonly #stop: () => void;
  readonly #reviewed = new Set<string>();
  readonly #answers = new Map<string, Answer['kind']>();
  /** As they were asked: the state of the thread has long commands only in part. */
  readonly #asked = new Map<string, { readonly question: Question; readonly item?: TurnItem }>();
  readonly #waiting = new Set<() => void>();
  /** Which client asks its user which question. */
  readonly #askers = new Map<string, Asker>();
  readonly #reservedMs: number;
  #turnId: TurnId | undefined;
  #hasWords = false;
  #hasEnded = false;
  #isOver = false;
  #calls = 0;
  #isAbandoned = false;
  #stopAsking: (() => void) | undefined;

  constructor(thread: LiveThread, { turnId, stop, reservedMs }: TurnRunOptions) {
    this.thread = thread;
    this.#reservedMs = reservedMs;
    this.#turnId = turnId;
    this.#hasWords = turnId !== undefined;
    this.#stop = stop;
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
    const event = eventOf(news);
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
        this.#release(event.id);
        return this.#wake();
      default:
    }
  }

  /** The first end counts. */
  settle(end: RunEnd): void {
    this.#isOver = true;
    for (const id of this.#askers.keys()) this.#release(id);
    this.#end.resolve(end);
    this.#wake();
  }

  /**
   * A call waits for the turn until the function that it gives is called. When the client of the last one is gone, and
   * one of them had to keep the turn alive, the turn ends.
   */
  join(signal: AbortSignal, { keeps }: { readonly keeps: boolean }): () => void {
    this.#calls++;
    this.#stopAsking?.();
    const gone = (): void => {
      leave();
      if (keeps) this.#isAbandoned = true;
      if (this.#isAbandoned && this.#calls === 0 && !this.#isOver) this.#stop();
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

  /** Whether another client asks its user this, and is still there. */
  isAskedElsewhere(question: string, client: string): boolean {
    const asker = this.#askers.get(question);
    return asker !== undefined && asker.client !== client && !asker.signal.aborted;
  }

  /** The client of a call was given a question, and comes back with the answer; if it is gone instead, the turn ends. */
  asks({ client, signal }: Pick<CallContext, 'client' | 'signal'>, questions: readonly Question[]): void {
    for (const { id } of questions) this.#reserve(id, { client, signal });
    const gone = (): void => {
      this.#stopAsking?.();
      if (this.#calls === 0 && !this.#isOver) this.#stop();
    };
    this.#stopAsking?.();
    this.#stopAsking = () => {
      this.#stopAsking = undefined;
      signal.removeEventListener('abort', gone);
    };
    signal.addEventListener('abort', gone, { once: true });
  }

  /** Of a client without a connection nothing says that it is gone: others may answer when it stays away too long. */
  #reserve(question: string, { client, signal }: Pick<CallContext, 'client' | 'signal'>): void {
    this.#release(question);
    const giveUp = (): void => {
      this.#release(question);
      this.#wake();
    };
    const timer = client.stays ? undefined : setTimeout(giveUp, this.#reservedMs).unref();
    this.#askers.set(question, { client: client.id, signal, timer });
  }

  #release(question: string): void {
    clearTimeout(this.#askers.get(question)?.timer);
    this.#askers.delete(question);
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
