import { defined } from '../../../base/objects.ts';
import type { NetworkLists, ResolvedPolicy } from '../../../protocol/permissions.ts';

export type RuleDecision = 'allow' | 'prompt' | 'forbidden';

export interface PrefixRule {
  /** One slot per word: the word, or its alternatives. The first slot is always one word. */
  readonly pattern: readonly (string | readonly string[])[];
  readonly decision: RuleDecision;
  readonly justification?: string;
  /** `file:line`. */
  readonly source: string;
}

export interface HostRule {
  /** In lower case, without a port. */
  readonly host: string;
  readonly protocol: 'http' | 'https' | 'socks5_tcp' | 'socks5_udp';
  readonly decision: RuleDecision;
  readonly justification?: string;
  readonly source: string;
}

/** The port of a rule that names none. Undefined: every port. */
export const usualPort = (protocol: HostRule['protocol']): number | undefined =>
  ({ http: 80, https: 443, socks5_tcp: undefined, socks5_udp: undefined })[protocol];

/** Plain data, because it is part of the envelope. */
export interface RuleSet {
  readonly prefixes: readonly PrefixRule[];
  readonly hosts: readonly HostRule[];
  /** By program name: the locations for which rules about the name are valid. */
  readonly executables: Readonly<Record<string, readonly string[]>>;
  /** Models for which rules that allow commands do not count. Absent: they count for all. */
  readonly allowIgnoredOn?: readonly string[];
  /** Rules that allow commands do not count in this turn: none is offered to be saved. */
  readonly savesNone?: true;
}

export const noRules: RuleSet = { prefixes: [], hosts: [], executables: {} };
export const rulesFor = (rules: RuleSet, model: string): RuleSet =>
  rules.allowIgnoredOn?.includes(model) === true ? withoutAllowedCommands(rules) : rules;

/** The rules without those that allow commands. The user is offered no rule to save. */
export const withoutAllowedCommands = (rules: RuleSet): RuleSet => ({
  ...rules,
  prefixes: rules.prefixes.filter(({ decision }) => decision !== 'allow'),
  savesNone: true,
});

/** Combines all rules; for a program's locations the last list counts. */
export function joinRules(sets: readonly RuleSet[]): RuleSet {
  return {
    prefixes: sets.flatMap(({ prefixes }) => prefixes),
    hosts: sets.flatMap(({ hosts }) => hosts),
    executables: Object.fromEntries(sets.flatMap(({ executables }) => Object.entries(executables))),
  };
}

/** Keeps the rules of a writer who may only hold commands back, not let them out. */
export function restrictiveRules({ prefixes, hosts }: RuleSet): RuleSet {
  const holdsBack = ({ decision }: { readonly decision: RuleDecision }): boolean => decision !== 'allow';
  return { prefixes: prefixes.filter(holdsBack), hosts: hosts.filter(holdsBack), executables: {} };
}

/** Command beginnings that rules hold back. If both kinds match a command, it is forbidden. */
export interface RestrictedPrefixes {
  readonly forbidden: readonly PrefixRule['pattern'][];
  /** The user is asked first; they are refused if no question is possible. */
  readonly asked: readonly PrefixRule['pattern'][];
}

export const noRestrictedPrefixes: RestrictedPrefixes = { forbidden: [], asked: [] };

export function restrictedPrefixes({ prefixes }: RuleSet): RestrictedPrefixes {
  const decided = (decision: PrefixRule['decision']): readonly PrefixRule['pattern'][] =>
    prefixes.filter((rule) => rule.decision === decision).map(({ pattern }) => pattern);
  return { forbidden: decided('forbidden'), asked: decided('prompt') };
}

/** The final decision of the rules about a host: allow, refuse with a reason (`why`), or ask each time. */
export type NetworkRule = { readonly host: string; readonly action: 'allow' | 'deny' | 'ask'; readonly why?: string };
const allHosts: NetworkLists = { allow: ['*'], deny: [], local: true, methods: 'any' };

/**
 * Adds the rules to the policy's lists, the only way in which rules take effect. A network without lists gets some if a
 * rule holds a host back; all other hosts stay open. Without our own sandbox nothing could enforce them.
 */
export function withNetworkRules(policy: ResolvedPolicy, rules: readonly NetworkRule[]): ResolvedPolicy {
  const holdsBack = rules.some(({ action }) => action !== 'allow');
  const { lists = holdsBack ? allHosts : undefined } = policy;
  if (lists === undefined || rules.length === 0 || policy.enforcement !== 'managed') return policy;
  const hosts = (wanted: NetworkRule['action'], listed: readonly string[] = []): readonly string[] => {
    const added = rules.filter(({ action }) => action === wanted).map(({ host }) => host);
    return [...new Set([...listed, ...added])];
  };
  const [allow, deny, ask] = [hosts('allow', lists.allow), hosts('deny', lists.deny), hosts('ask', lists.ask)];
  const ruled = rules.flatMap(({ host, action, why }) => (action === 'deny' ? [{ host, ...defined({ why }) }] : []));
  const more = { ...(ask.length === 0 ? {} : { ask }), ...(ruled.length === 0 ? {} : { ruled }) };
  return { ...policy, lists: { ...lists, allow, deny, ...more } };
}
