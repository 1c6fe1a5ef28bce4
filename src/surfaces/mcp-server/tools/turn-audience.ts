import { randomUUID } from 'node:crypto';
import type { Question } from '../../../protocol/question.ts';
import type { CallContext } from '../offer/server-tool.ts';

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
export class TurnAudience {
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
