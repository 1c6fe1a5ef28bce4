import type { History } from './history.ts';

/** Whether the newest text of these kinds says something, and does not take it back. */
export function standsIn(
  { storage, length }: History,
  { telling, withdrawing }: { readonly telling: readonly string[]; readonly withdrawing: readonly string[] },
): boolean {
  for (let index = length - 1; index >= 0; index--) {
    const { origin } = storage[index]!;
    if (origin.family !== 'context') continue;
    const newest = origin.kinds.findLast((kind) => telling.includes(kind) || withdrawing.includes(kind));
    if (newest !== undefined) return telling.includes(newest);
  }
  return false;
}
