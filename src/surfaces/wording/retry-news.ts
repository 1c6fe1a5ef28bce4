import type { ThreadEvent } from '../../protocol/thread-event.ts';

/** Shorter waits of a client that tries again by itself are over before a person has read about them. */
const leastWaitMs = 2000;

/** True if a list of lines should say it: a provider that is down is tried dozens of times. */
export function isRetryNews({
  attempt,
  of,
  beforeAnswer,
  waitMs,
}: Extract<ThreadEvent, { kind: 'retrying' }>): boolean {
  return attempt === 1 || attempt === of || beforeAnswer !== true || waitMs >= leastWaitMs;
}
