import { delay } from '../../model/http/backoff.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { sentence } from '../../protocol/outcome.ts';
import { waitWords } from '../../protocol/wait-words.ts';
import type { Turn } from '../parts/parts.ts';

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
    const wait = waitMs < 2000 ? '' : ` in ${Math.round(waitMs / 1000)} seconds`;
    const { askedMs } = failure.retry;
    const asked = askedMs === undefined ? '' : `The provider asks to wait ${waitWords(askedMs)}. `;
    const again = `${asked}Trying again${wait} (${attempt} of ${most}).`;
    const outcome = { ...failure, message: `${sentence(failure.message)} ${again}` };
    log.tell({ kind: 'retrying', outcome, waitMs, attempt, of: most });
    // Reported before the wait, not after it.
    await log.durable();
    await parts.clock.sleep(waitMs, signal);
  }
}

function isSaidOtherwise({ retry }: ModelFailure): boolean {
  return retry !== 'never' && retry.otherwise === true;
}
