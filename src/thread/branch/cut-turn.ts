import { turnAbortedFragment } from '../../fragments/events/turn-aborted.ts';
import type { Ids } from '../../ports/ids.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { turnDoneBefore, turnLeftOpen } from '../../state/turn-drafts.ts';
import { ThreadLog } from '../parts/log.ts';
import { recordEvent } from '../record/record-context.ts';
import { openThread } from './resume.ts';
import type { RollbackCut } from './rollback-range.ts';

/**
 * A rollback went to the middle of a turn, which is not continued: it ends there. If another process has taken the
 * thread meanwhile, that one finds the open turn and ends it.
 */
export async function closeCutTurn(
  store: RolloutStore,
  ids: Ids,
  id: ThreadId,
  { id: turnId, done }: NonNullable<RollbackCut['open']>,
): Promise<void> {
  const opened = await openThread(store, id);
  if (opened.kind === 'refused') return;
  const log = new ThreadLog(opened.owned, opened.state);
  try {
    if (done) log.record(turnDoneBefore(turnId));
    else {
      recordEvent({ log, parts: { ids }, turnId }, turnAbortedFragment, 'rolled-back');
      log.record(turnLeftOpen(turnId, 'rolled-back'));
    }
    await log.durable();
  } finally {
    await log.close();
  }
}
