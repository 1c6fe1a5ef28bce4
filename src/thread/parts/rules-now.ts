import { allowedPrefixes } from '../../policy/rules/allowed-by-rules.ts';
import type { RuleSet } from '../../policy/rules/rule-set.ts';
import type { Turn } from './parts.ts';

type Ruled = Pick<Turn, 'envelope' | 'savedRules'>;

/** The rules of the turn with those that answers saved since: what decides about calls. */
export function rulesNow({ envelope: { policy }, savedRules }: Ruled): RuleSet {
  if (policy.rules.savesNone === true) return policy.rules;
  return { ...policy.rules, prefixes: [...policy.rules.prefixes, ...savedRules.prefixes] };
}

/** Beginnings of commands that these rules allow: what the model and a reviewer read. */
export function approvedPrefixesNow(turn: Ruled): readonly (readonly string[])[] {
  const { approvedPrefixes } = turn.envelope.policy;
  const { prefixes } = turn.savedRules;
  if (prefixes.length === 0 || turn.envelope.policy.rules.savesNone === true) return approvedPrefixes;
  const known = new Set(approvedPrefixes.map((prefix) => JSON.stringify(prefix)));
  const saved = allowedPrefixes(rulesNow(turn), prefixes);
  const added = new Map(saved.map((prefix) => [JSON.stringify(prefix), prefix]));
  return [...approvedPrefixes, ...[...added].flatMap(([key, prefix]) => (known.has(key) ? [] : [prefix]))];
}
