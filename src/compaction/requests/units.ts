import { pairedItem } from '../../history/missing-answer.ts';
import type { Item } from '../../protocol/item.ts';

/** Items that only make sense together; the first that does not belong to it is `to`. */
export interface Unit {
  readonly from: number;
  readonly to: number;
}

/**
 * The smallest runs into which input may be cut. Providers refuse a call without its answer and an answer without its
 * call, and thoughts without what they led to.
 */
export function unitsOf(input: readonly Item[], from: number): readonly Unit[] {
  const reach = reaches(input, from);
  const units: Unit[] = [];
  let start = from;
  let last = from;
  for (let index = from; index < input.length; index++) {
    last = Math.max(last, reach.get(index) ?? index);
    if (index < last) continue;
    units.push({ from: start, to: index + 1 });
    start = index + 1;
    last = start;
  }
  return units;
}

/** For the first item of what belongs together, its last. */
function reaches(input: readonly Item[], from: number): ReadonlyMap<number, number> {
  const reach = new Map<number, number>();
  const join = (one: number, other: number): void => {
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    reach.set(first, Math.max(last, reach.get(first) ?? first));
  };
  // Some providers use the names of calls again, so each answer belongs to the nearest call before it.
  const calls = new Map<string, number>();
  const early = new Map<string, number>();
  for (let index = from; index < input.length; index++) {
    const item = input[index]!;
    if (item.type === 'reasoning' && index + 1 < input.length) join(index, index + 1);
    const paired = pairedItem(item);
    if (paired?.half === 'call') {
      const answer = early.get(paired.id);
      if (answer !== undefined) join(answer, index);
      early.delete(paired.id);
      calls.set(paired.id, index);
    } else if (paired?.half === 'answer') {
      const call = calls.get(paired.id);
      if (call !== undefined) join(call, index);
      else if (!early.has(paired.id)) early.set(paired.id, index);
    }
  }
  return reach;
}
