import { checkpointSummaryFragment } from '../fragments/checkpoint-summary.ts';
import type { Entry } from '../history/entry.ts';
import { entries } from '../history/history.ts';
import type { CompactionPlan } from './plan.ts';
import type { CompactionSource } from './source.ts';

/**
 * Whether a checkpoint could hold less than what stands. What is told about the world is told again anyway. Of an older
 * checkpoint alone nobody wants a copy who asks by hand, but it may be too large for a model that has a smaller window.
 */
export function anythingToFold(
  { trigger }: Pick<CompactionPlan, 'trigger'>,
  { history }: Pick<CompactionSource, 'history'>,
): boolean {
  const all = entries(history);
  const newest = all.findLastIndex(isCheckpoint);
  if (newest !== -1 && trigger === 'auto') return true;
  return all.slice(newest + 1).some(({ origin }) => origin.family !== 'context');
}

function isCheckpoint({ item, origin }: Entry): boolean {
  if (item.type === 'compaction') return true;
  return origin.family === 'context' && origin.kinds.includes(checkpointSummaryFragment.id);
}
