/**
 * Splits a budget among parts that want so much each. Small ones get what they want, and large ones share the rest
 * evenly. If that would leave one with less than `least`, the largest gets nothing, of two equal ones the later.
 */
export function splitBudget(wanted: readonly number[], budget: number, least: number): readonly number[] {
  const bySize = [...wanted.entries()].toSorted(([, one], [, other]) => one - other);
  for (let count = bySize.length; count > 0; count--) {
    const shares = new Map<number, number>();
    let left = Math.max(0, budget);
    for (const [index, want] of bySize.slice(0, count)) {
      const share = Math.min(want, Math.floor(left / (count - shares.size)));
      shares.set(index, share);
      left -= share;
    }
    const areUsable = [...shares].every(([index, share]) => share >= least || share === wanted[index]);
    if (areUsable) return wanted.map((_, index) => shares.get(index) ?? 0);
  }
  return wanted.map(() => 0);
}
