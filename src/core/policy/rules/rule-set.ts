import { defined } from '../../../base/objects.ts';
import type { NetworkLists, ResolvedPolicy } from '../../../protocol/permissions.ts';

export type RuleDecision = 'allow' | 'prompt' | 'forbidden';

/** What to do about commands that begin in a certain way. */
export interface PrefixRule {
  /** One slot per word: the word, or the words that may stand there. The first slot is always one word. */
  readonly pattern: readonly (string | readonly string[])[];
  readonly decision: RuleDecision;
  readonly justification?: string;
  /** file:line */
  readonly source: string;
}

/** What to do about connections to a host. */
export interface HostRule {
  /** In small letters, without a port. */
  readonly host: string;
  readonly protocol: 'http' | 'https' | 'socks5_tcp' | 'socks5_udp';
  readonly decision: RuleDecision;
  readonly justification?: string;
  readonly source: string;
}

/** Where a rule about a host holds that does not say it. Undefined: at every port. */
export function usualPort(protocol: HostRule['protocol']): number | undefined {
  return { http: 80, https: 443, socks5_tcp: undefined, socks5_udp: undefined }[protocol];
}

/** Plain data: it is in the envelope. */
export interface RuleSet {
  readonly prefixes: readonly PrefixRule[];
  readonly hosts: readonly HostRule[];
  /** By the name of a program: where it must be for rules about the name to hold. */
  readonly executables: Readonly<Record<string, readonly string[]>>;
  /** Models for which rules that allow commands do not count. Absent: they count for all. */
  readonly allowIgnoredOn?: readonly string[];
  /** Rules that allow commands do not count in this turn: none is offered to be saved. */
  readonly savesNone?: true;
}

export const noRules: RuleSet = { prefixes: [], hosts: [], executables: {} };

/** As they count for a model. */
export function rulesFor(rules: RuleSet, model: string): RuleSet {
  return rules.allowIgnoredOn?.includes(model) === true ? withoutAllowedCommands(rules) : rules;
}

/** As they count where no rule lets a command out of the sandbox, and none is saved. */
export function withoutAllowedCommands(rules: RuleSet): RuleSet {
  return { ...rules, prefixes: rules.prefixes.filter(({ decision }) => decision !== 'allow'), savesNone: true };
}

/** All rules together. Rules only add up; of the places of a program the last list counts. */
export function joinRules(sets: readonly RuleSet[]): RuleSet {
  return {
    prefixes: sets.flatMap(({ prefixes }) => prefixes),
    hosts: sets.flatMap(({ hosts }) => hosts),
    executables: Object.fromEntries(sets.flatMap(({ executables }) => Object.entries(executables))),
  };
}

/** What is left of rules whose writer may hold commands back and not let them out. */
export function withoutAllowing({ prefixes, hosts }: RuleSet): RuleSet {
  const holdsBack = ({ decision }: { readonly decision: RuleDecision }): boolean => decision !== 'allow';
  return { prefixes: prefixes.filter(holdsBack), hosts: hosts.filter(holdsBack), executables: {} };
}

/** Beginnings of commands that rules hold back. Where both kinds match a command, it is forbidden. */
export interface HeldPatterns {
  readonly forbidden: readonly PrefixRule['pattern'][];
  /** The user is asked first, and where no question is possible they are refused. */
  readonly asked: readonly PrefixRule['pattern'][];
}

export const noHeldPatterns: HeldPatterns = { forbidden: [], asked: [] };

export function heldPatterns({ prefixes }: RuleSet): HeldPatterns {
  const decided = (decision: PrefixRule['decision']): readonly PrefixRule['pattern'][] =>
    prefixes.filter((rule) => rule.decision === decision).map(({ pattern }) => pattern);
  return { forbidden: decided('forbidden'), asked: decided('prompt') };
}

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
