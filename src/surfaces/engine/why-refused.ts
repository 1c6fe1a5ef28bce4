import type { Answered } from '../../thread/answered.ts';
import type { Thread } from '../../thread/thread.ts';

/**
 * What a caller hears who answered a question of a suspended turn. If the turn is suspended still, nothing was changed:
 * it could not be continued, which says more than that no one took the answer, or the thread was given up.
 */
export async function whyRefused<Given extends Answered>(
  thread: Pick<Thread, 'isSuspended'>,
  answered: Given,
  ended: ReturnType<Thread['continue']>,
): Promise<Given | Extract<Answered, { kind: 'refused' }>> {
  if (answered.kind === 'answered' || !thread.isSuspended) return answered;
  const end = await ended;
  return end.kind === 'refused' ? end : answered;
}
