import type { PrefixRule, RuleSet } from './rule-set.ts';

/** Beginnings of commands that rules hold back. Where both kinds match a command, it is forbidden. */
export interface HeldPatterns {
  readonly forbidden: readonly PrefixRule['pattern'][];
  /** The user is asked first, and where no question is possible they are refused. */
  readonly asked: readonly PrefixRule['pattern'][];
}

export const nothingHeld: HeldPatterns = { forbidden: [], asked: [] };

export function heldPatterns({ prefixes }: RuleSet): HeldPatterns {
  const decided = (decision: PrefixRule['decision']): readonly PrefixRule['pattern'][] =>
    prefixes.filter((rule) => rule.decision === decision).map(({ pattern }) => pattern);
  return { forbidden: decided('forbidden'), asked: decided('prompt') };
}
