import { defined } from '../../protocol/defined.ts';
import type { NetworkLists } from '../../protocol/network-lists.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';

/** What rules decide for good about connections to a host: let them pass, refuse them, or ask each time. */
export interface NetworkRule {
  /** A pattern for one host, perhaps with a port. */
  readonly host: string;
  readonly action: 'allow' | 'deny' | 'ask';
  /** Of `deny`: the reason that the rule gives. */
  readonly why?: string;
}

const allHosts: NetworkLists = { allow: ['*'], deny: [], local: true, methods: 'any' };

/**
 * The policy with the rules in its lists: the one way from rules to what holds. A network without lists gets some if a
 * rule holds a host back: all others stay open. Where no sandbox of ours stands, nothing could keep to them.
 */
export function withNetworkRules(policy: ResolvedPolicy, rules: readonly NetworkRule[]): ResolvedPolicy {
  const holdsBack = rules.some(({ action }) => action !== 'allow');
  const { lists = holdsBack ? allHosts : undefined } = policy;
  if (lists === undefined || rules.length === 0 || policy.enforcement !== 'managed') return policy;
  const hosts = (wanted: NetworkRule['action'], listed: readonly string[] = []): readonly string[] => {
    const added = rules.filter(({ action }) => action === wanted).map(({ host }) => host);
    return [...new Set([...listed, ...added])];
  };
  const ask = hosts('ask', lists.ask);
  const ruled = rules.flatMap(({ host, action, why }) => (action === 'deny' ? [{ host, ...defined({ why }) }] : []));
  return {
    ...policy,
    lists: {
      ...lists,
      allow: hosts('allow', lists.allow),
      deny: hosts('deny', lists.deny),
      ...(ask.length === 0 ? {} : { ask }),
      ...(ruled.length === 0 ? {} : { ruled }),
    },
  };
}
