import type { Changes } from './compare-trees.ts';
import type { Effect } from './effects.ts';
import type { Transition } from './restore-plan.ts';
import type { Hash } from './tree.ts';

/**
 * What happened to one workspace since the first of the effects, up to the tree that stands there now. What lies
 * between two effects is the user's; what a cut-off turn did cannot be told from what the user did after it.
 */
export function transitionsOf(
  effects: readonly Effect[],
  now: Hash,
  compare: (from: Hash, to: Hash) => Changes,
): readonly Transition[] {
  const transitions: Transition[] = [];
  let at: Hash | undefined;
  let between: 'user' | 'unknown' = 'user';
  for (const { before, after } of effects) {
    if (before === undefined) {
      between = 'unknown';
      continue;
    }
    if (at !== undefined) transitions.push({ by: between, changes: compare(at, before) });
    if (after !== undefined) transitions.push({ by: 'thread', changes: compare(before, after) });
    at = after ?? before;
    between = after === undefined ? 'unknown' : 'user';
  }
  if (at !== undefined) transitions.push({ by: between, changes: compare(at, now) });
  return transitions;
}
