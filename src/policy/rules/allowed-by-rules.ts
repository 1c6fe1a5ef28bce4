import { defined } from '../../protocol/defined.ts';
import { normaliseHost } from '../network/host-name.ts';
import { hostAtPort } from '../network/host-pattern.ts';
import type { NetworkRule } from '../network/network-rules.ts';
import { isCoverable } from '../commands/shell-builtins.ts';
import { matchRules, strictest } from './match-rules.ts';
import { type PrefixRule, type RuleSet, usualPort } from './rule-set.ts';

/** Twice what the text for the model lists: each is held against all rules. */
const mostPrefixes = 200;
/** Of the reason for a denied host, which is stored with every turn. */
const longestReason = 300;

/** Beginnings of commands that rules, or some of them, allow. One that another rule holds back, or that no rule covers, is none. */
export function allowedPrefixes(rules: RuleSet, some = rules.prefixes): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let tried = 0;
  for (const { pattern, decision } of some) {
    if (decision !== 'allow') continue;
    for (const prefix of spelled(pattern)) {
      const decisions = matchRules(rules, prefix, { resolveExecutables: false });
      if (isCoverable(prefix) && strictest(decisions.map((match) => match.decision)) === 'allow') found.push(prefix);
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

/**
 * What rules decide about hosts. A rule that allows names a protocol and no port: it holds for the usual port of that
 * protocol, and one for SOCKS5 for every port. A rule that denies or asks holds for them all. Of several rules about a host
 * the last one counts, but one that asks does not lift one that denies.
 */
export function decidedHosts({ hosts }: Pick<RuleSet, 'hosts'>): readonly NetworkRule[] {
  const byHost = new Map<string, Omit<NetworkRule, 'host'> & { readonly patterns: readonly string[] }>();
  for (const { host: written, decision, protocol, justification } of hosts) {
    const host = normaliseHost(written) ?? written;
    const action = ({ allow: 'allow', prompt: 'ask', forbidden: 'deny' } as const)[decision];
    const known = byHost.get(host);
    if (action === 'ask' && known?.action === 'deny') continue;
    const earlier = action === 'allow' && known?.action === 'allow' ? known.patterns : [];
    const port = usualPort(protocol);
    const pattern = action !== 'allow' || port === undefined ? host : hostAtPort(host, port);
    const why =
      action === 'deny' ? justification?.trim().slice(0, longestReason).toWellFormed() || undefined : undefined;
    byHost.set(host, { action, ...defined({ why }), patterns: [...new Set([...earlier, pattern])] });
  }
  return [...byHost.values()].flatMap(({ patterns, ...decided }) => patterns.map((host) => ({ host, ...decided })));
}
