import type { Outcome } from '../protocol/outcome.ts';
import type { ThreadLog } from './log.ts';

/**
 * Warns of a problem that the thread has not warned of yet, and says whether it did. `by`: two problems are the same
 * when they have one code, or only when their messages are the same too.
 */
export function warnOnce(
  { log, warned }: { readonly log: Pick<ThreadLog, 'tell'>; readonly warned: Set<string> },
  outcome: Outcome,
  by: 'code' | 'message',
): boolean {
  const key = by === 'code' ? outcome.code : `${outcome.code} ${outcome.message}`;
  if (warned.has(key)) return false;
  warned.add(key);
  log.tell({ kind: 'warning', outcome });
  return true;
}
