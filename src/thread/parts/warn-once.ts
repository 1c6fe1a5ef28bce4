import type { Outcome } from '../../protocol/outcome.ts';
import { warningSaid, wasSaid } from '../../state/warnings.ts';
import type { ThreadLog } from './log.ts';

/**
 * Warns of a problem that this process has not warned of yet, and says whether it did. `by`: two problems are the same
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

/** The same once in the life of the thread, whichever process has it open: a line says that it was said. */
export function warnOnceForAll({ log }: { readonly log: ThreadLog }, outcome: Outcome, about: string): void {
  const name = `${outcome.code} ${about}`;
  if (wasSaid(log.state.warnings, name)) return;
  log.record(warningSaid(name));
  log.tell({ kind: 'warning', outcome });
}
