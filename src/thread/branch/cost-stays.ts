import type { LineDraft } from '../../protocol/line.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { costCarried } from '../../state/turn-drafts.ts';

/** Turns that were taken back have been paid for. The newest count is that of the place where the thread continues. */
export function costStays({ total, last }: ThreadState['usage'], now: ThreadState['usage']): readonly LineDraft[] {
  return total.total === now.total.total ? [] : [costCarried({ total: now.total, last })];
}
