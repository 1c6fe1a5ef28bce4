import { delay } from '../../model/http/backoff.ts';
import type { ModelFailure, RequestRetry } from '../../ports/model-client.ts';
import type { Turn } from '../parts/parts.ts';
import { retrying } from './retrying.ts';

/** Tries of one request, by the client and by the thread together, and how many there may be. */
export class RetryCount {
  readonly #most: number;
  /** How often the client sends again by itself, each time that it is asked. */
  #perAsking = 0;
  #made = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more. `by`: how the client counts it, if it is the client's own. */
  next(by?: RequestRetry): Pick<RequestRetry, 'attempt' | 'of'> {
    this.#made += 1;
    if (by?.isFinal === true) return { attempt: this.#made, of: this.#made + by.of - by.attempt };
    if (by !== undefined) this.#perAsking = by.of;
    return { attempt: this.#made, of: Math.max(this.#made, (this.#perAsking + 1) * (this.#most + 1) - 1) };
  }
}

/**
 * Asks until there is an answer, a failure that lasts, an interruption, or no patience left. Reports each new attempt.
 */
export async function tryAgain<Answer>(
  { signal, parts, log }: Pick<Turn, 'signal' | 'parts' | 'log'>,
  ask: (attempt: number, retries: RetryCount) => Promise<Answer>,
  { failureOf, most }: { failureOf(answer: Answer): ModelFailure | undefined; readonly most: number },
): Promise<Answer> {
  /** Once: a client that always finds other words would never end. */
  let reworded = 0;
  const retries = new RetryCount(most);
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(attempt + reworded, retries);
    const failure = failureOf(answer);
    if (failure !== undefined && isSaidOtherwise(failure) && !signal.aborted && reworded === 0) {
      reworded = 1;
      attempt--;
      continue;
    }
    if (failure === undefined || signal.aborted || failure.retry === 'never' || attempt > most) return answer;
    const waitMs = failure.retry.afterMs ?? delay(attempt, parts.random);
    log.tell(retrying({ failure, waitMs, ...retries.next() }));
    // Reported before the wait, not after it.
    await log.durable();
    await parts.clock.sleep(waitMs, signal);
  }
}

function isSaidOtherwise({ retry }: ModelFailure): boolean {
  return retry !== 'never' && retry.otherwise === true;
}
