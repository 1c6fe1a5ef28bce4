import type { RequestRetry } from '../../../ports/model.ts';
import { endWithFullStop } from '../../../protocol/outcome.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { formatWaitTime } from '../../../protocol/display-text.ts';

export function retryEvent({ failure, waitMs, attempt, of }: RequestRetry): Extract<ThreadEvent, { kind: 'retrying' }> {
  const wait = waitMs < 2000 ? '' : ` in ${Math.round(waitMs / 1000)} seconds`;
  const askedMs = failure.retry === 'never' ? undefined : failure.retry.askedMs;
  const asked = askedMs === undefined ? '' : `The provider asks to wait ${formatWaitTime(askedMs)}. `;
  const again = `${asked}Trying again${wait} (${attempt} of ${of}).`;
  const reason = endWithFullStop(failure.message);
  const outcome = { ...failure, message: `${reason} ${again}` };
  return { kind: 'retrying', outcome, reason, waitMs, attempt, of };
}
