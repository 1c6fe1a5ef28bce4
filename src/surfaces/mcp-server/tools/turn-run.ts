import type { TurnId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import type { LiveNews, LiveThread } from '../../engine/live/live-thread.ts';
import { eventOf } from '../events/event-of-news.ts';
import { TurnAudience } from './turn-audience.ts';

/** How a turn ended, for the calls that wait for it. */
export type RunEnd = { readonly lastMessage?: string } & (
  | { readonly kind: 'completed' | 'aborted' | 'suspended' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
);

export interface TurnRunOptions {
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
