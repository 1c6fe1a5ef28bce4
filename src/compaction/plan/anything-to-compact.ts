import { checkpointSummaryFragment } from '../../fragments/checkpoint/checkpoint-summary.ts';
import type { Entry } from '../../history/entry.ts';
import { entries } from '../../history/history.ts';
import { isCheckpointItem, isOpaqueCheckpoint } from '../../history/opaque-items.ts';
import type { CompactionPlan, CompactionSource } from './plan.ts';

/** Whether a checkpoint could hold less than what stands. By hand, a copy of an older one alone is no gain. */
export function anythingToCompact(
  { trigger, mayGrow }: Pick<CompactionPlan, 'trigger' | 'mayGrow'>,
  { history }: Pick<CompactionSource, 'history'>,
): boolean {
  const all = entries(history);
  const newest = all.findLastIndex(isCheckpoint);
  if (newest !== -1 && (trigger === 'auto' || mayGrow === true)) return true;
  return all.slice(newest + 1).some(({ origin }) => origin.family !== 'context');
}

function isCheckpoint({ item, origin }: Entry): boolean {
  if (isCheckpointItem(item)) return true;
  return origin.family === 'context' && origin.kinds.includes(checkpointSummaryFragment.id);
}

/** By hand, a checkpoint that can be read may grow where it takes the place of an opaque one. */
export function askedByHand<Wanted extends Pick<CompactionPlan, 'trigger' | 'focus'>>(
  wanted: Wanted,
  { history }: Pick<CompactionSource, 'history'>,
  strategy: CompactionPlan['strategy'] | undefined,
): Wanted & Pick<CompactionPlan, 'mayGrow'> {
  const isReadable = strategy !== 'remote' || wanted.focus !== undefined;
  if (wanted.trigger === 'auto' || !isReadable) return wanted;
  return entries(history).some(({ item }) => isOpaqueCheckpoint(item)) ? { ...wanted, mayGrow: true } : wanted;
}
