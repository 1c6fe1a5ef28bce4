import type { Changes } from './compare-trees.ts';
import type { Effect } from './effects.ts';
import type { Transition } from './restore-plan.ts';
import type { Hash } from './tree.ts';

export interface EffectTransition extends Transition {
  /** Of which of the effects it is a part, from 0; absent for what lies between two. */
  readonly effect?: number;
}

/**
 * What happened to one workspace since the first of the effects, up to the tree that stands there now. What lies
 * between two effects is the user's, as is what others did during one; what a cut-off turn did cannot be separated from
 * what the user did after it.
 */
export async function transitionsOf(
  effects: readonly Effect[],
  now: Hash,
  compare: (from: Hash, to: Hash) => Promise<Changes>,
): Promise<readonly EffectTransition[]> {
  const transitions: EffectTransition[] = [];
  let at: Hash | undefined;
  let between: 'user' | 'unknown' = 'user';
  for (const [effect, { changer, before, after, others }] of effects.entries()) {
    if (before === undefined) {
      between = 'unknown';
      continue;
    }
    if (at !== undefined) transitions.push({ by: between, changes: await compare(at, before) });
    if (after !== undefined && others === undefined) {
      const by = changer.kind === 'turn' ? 'unrecorded' : 'thread';
      transitions.push({ by, changes: await compare(before, after), effect });
    } else if (after !== undefined && others !== undefined) {
      transitions.push({ by: 'others', changes: await compare(before, others), effect });
      transitions.push({ by: 'thread', changes: await compare(others, after), effect });
    }
    at = after ?? before;
    between = after === undefined ? 'unknown' : 'user';
  }
  if (at !== undefined) transitions.push({ by: between, changes: await compare(at, now) });
  return transitions;
}
