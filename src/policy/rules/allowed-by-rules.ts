import { matchRules, strictest } from './match-rules.ts';
import type { PrefixRule, RuleSet } from './rule-set.ts';

/** Twice what the text for the model lists: each is held against all rules. */
const mostPrefixes = 200;

/** Beginnings of commands that rules allow. One that another rule holds back is none. */
export function allowedPrefixes(rules: RuleSet): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let tried = 0;
  for (const { pattern, decision } of rules.prefixes) {
    if (decision !== 'allow') continue;
    for (const prefix of spelled(pattern)) {
      const decisions = matchRules(rules, prefix, { resolveExecutables: false });
      if (strictest(decisions.map((match) => match.decision)) === 'allow') found.push(prefix);
      if (++tried === mostPrefixes) return found;
    }
  }
  return found;
}

/** Every way to fill the slots of a pattern. */
function* spelled([slot, ...rest]: PrefixRule['pattern']): Generator<readonly string[]> {
  if (slot === undefined) yield [];
  for (const word of typeof slot === 'string' ? [slot] : (slot ?? [])) {
    for (const behind of spelled(rest)) yield [word, ...behind];
  }
}

/** Hosts that rules allow or deny. Of several rules about a host the last one counts; one that asks decides nothing. */
export function decidedHosts({
  hosts,
}: RuleSet): readonly { readonly host: string; readonly action: 'allow' | 'deny' }[] {
  const actions = new Map<string, 'allow' | 'deny'>();
  for (const { host, decision } of hosts) {
    if (decision !== 'prompt') actions.set(host, decision === 'allow' ? 'allow' : 'deny');
  }
  return Array.from(actions, ([host, action]) => ({ host, action }));
}
