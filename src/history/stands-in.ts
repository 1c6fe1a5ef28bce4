import { entries, type History } from './history.ts';

/** Whether the newest text of these kinds tells something, and does not take it back. */
export function standsIn(
  history: History,
  { telling, withdrawing }: { readonly telling: readonly string[]; readonly withdrawing: readonly string[] },
): boolean {
  for (const { origin } of entries(history).toReversed()) {
    if (origin.family !== 'context') continue;
    const newest = origin.kinds.findLast((kind) => telling.includes(kind) || withdrawing.includes(kind));
    if (newest !== undefined) return telling.includes(newest);
  }
  return false;
}
