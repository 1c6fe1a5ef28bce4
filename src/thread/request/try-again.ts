import { delay } from '../../model/http/backoff.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import type { Turn } from '../parts/parts.ts';
import { retrying } from './retrying.ts';

/**
 * Asks until there is an answer, a failure that lasts, an interruption, or no patience left. Reports each new attempt.
 */
export async function tryAgain<Answer>(
  { signal, parts, log }: Pick<Turn, 'signal' | 'parts' | 'log'>,
  ask: (attempt: number) => Promise<Answer>,
  { failureOf, most }: { failureOf(answer: Answer): ModelFailure | undefined; readonly most: number },
): Promise<Answer> {
  /** Once: a client that always finds other words would never end. */
  let reworded = 0;
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(attempt + reworded);
    const failure = failureOf(answer);
    if (failure !== undefined && isSaidOtherwise(failure) && !signal.aborted && reworded === 0) {
      reworded = 1;
      attempt--;
      continue;
    }
    if (failure === undefined || signal.aborted || failure.retry === 'never' || attempt > most) return answer;
    const waitMs = failure.retry.afterMs ?? delay(attempt, parts.random);
    log.tell(retrying({ failure, waitMs, attempt, of: most }));
    // Reported before the wait, not after it.
    await log.durable();
    await parts.clock.sleep(waitMs, signal);
  }
}

function isSaidOtherwise({ retry }: ModelFailure): boolean {
  return retry !== 'never' && retry.otherwise === true;
}
