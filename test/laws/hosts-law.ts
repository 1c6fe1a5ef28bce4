import fc from 'fast-check';
import { permissionsFragment } from '../../src/core/world/sections/permissions.ts';
import { renderFragment } from '../../src/core/fragments/text/define-fragment.ts';
import type { DecisionContext } from '../../src/core/policy/decide/call-decision.ts';
import { decideCall } from '../../src/core/policy/decide/decide-call.ts';
import { decideConnection } from '../../src/core/policy/network/decide-connection.ts';
import { describeNetwork, describePolicy } from '../../src/core/policy/profiles/describe-policy.ts';
import { grantedPolicy, standingGrants, withGrantedNetwork } from '../../src/core/policy/grants/granted-policy.ts';
import { hostGrantKey, permissionGrantKeys } from '../../src/core/policy/grants/grants.ts';
import { noRestrictedPrefixes, noRules, withNetworkRules } from '../../src/core/policy/rules/rule-set.ts';
import { decideHost, readHostLists } from '../../src/core/policy/network/host-lists.ts';
import { networkReach } from '../../src/core/policy/paths/access.ts';
import { decidedHosts } from '../../src/core/policy/rules/match-rules.ts';
import { runRulesFile } from '../../src/core/policy/rules/rules-file.ts';
import { defined } from '../../src/base/objects.ts';
import type { ApprovalPolicy, NetworkLists, ResolvedPolicy } from '../../src/protocol/permissions.ts';
import { readPermissions } from './permissions-reader.ts';

/** The fate of a command's attempt to connect. */
type Reach = 'open' | 'asked' | 'closed';

export interface HostCase {
  readonly policy: ResolvedPolicy;
  readonly approval: ApprovalPolicy;
  readonly canAsk: boolean;
  /** Answers for the session. */
  readonly answered: readonly Target[];
  /** For how long the whole network was granted by an answer, if it was. */
  readonly opened: 'not' | 'call' | 'turn' | 'session';
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

const hosts = ['a.test', 'b.a.test', 'c.b.a.test', 'b.test', '8.8.8.8', '127.0.0.1', 'localhost', '10.0.0.7'] as const;
const ports = [80, 443] as const;
export const targets: readonly Target[] = hosts.flatMap((host) => ports.map((port) => ({ host, port })));

const pattern = fc
  .tuple(fc.constantFrom(...hosts, '*.a.test', '**.a.test', '**.test'), fc.constantFrom('', '', ':80', ':443'))
  .map((parts) => parts.join(''));
const lists: fc.Arbitrary<NetworkLists> = fc.record({
  allow: fc.oneof(fc.array(pattern, { maxLength: 4 }), fc.constant(['*']), fc.constant(['*', '127.0.0.1'])),
  deny: fc.array(pattern, { maxLength: 2 }),
  local: fc.boolean(),
  methods: fc.constantFrom('any', 'reading'),
});
const rule = fc
  .record({
    host: fc.constantFrom(...hosts),
    protocol: fc.constantFrom('http', 'https', 'socks5_tcp'),
    decision: fc.constantFrom('allow', 'prompt', 'deny'),
  })
  .map(({ host, protocol, decision }) => `network_rule("${host}", "${protocol}", "${decision}")`);
const flags = fc.record({
  sandbox_approval: fc.boolean(),
  rules: fc.boolean(),
  skill_approval: fc.constant(false),
  request_permissions: fc.constant(false),
  mcp_elicitations: fc.constant(false),
});

export const hostCase: fc.Arbitrary<HostCase> = fc
  .record({
    network: fc.constantFrom('enabled', 'enabled', 'restricted'),
    lists: fc.option(lists, { nil: undefined }),
    rules: fc.array(rule, { maxLength: 5 }),
    approval: fc.oneof(
      fc.constantFrom<ApprovalPolicy>('on-request', 'untrusted', 'never'),
      flags.map((granular) => ({ granular })),
    ),
    canAsk: fc.boolean(),
    answered: fc.subarray([...targets], { maxLength: 3 }),
    opened: fc.constantFrom('not', 'not', 'call', 'turn', 'session'),
  })
  .map(({ network, lists, rules, ...more }) => {
    const files = { kind: 'restricted', rules: [], denyGlobs: [], platformDefaults: true } as const;
    const base: ResolvedPolicy = { enforcement: 'managed', files, network, ...(lists === undefined ? {} : { lists }) };
    const read = runRulesFile(rules.join('\n'), { file: 'x.rules' });
    if (read.kind !== 'read') throw new Error(read.message);
    return { ...more, policy: withNetworkRules(base, decidedHosts(read.rules)) };
  });

const wholeNetwork = permissionGrantKeys({ network: true }).map((key) => ({ key }));

/** Answers that stand, by how long they do. */
function grantsOf({ answered, opened }: HostCase) {
  const hosts = answered.map(({ host: name, port }) => ({ key: hostGrantKey({ name, port, protocol: 'http' }) }));
  return {
    session: [...hosts, ...(opened === 'session' ? wholeNetwork : [])],
    turn: opened === 'turn' ? wholeNetwork : [],
  };
}

function contextOf(given: HostCase): DecisionContext {
  const { policy, approval, canAsk } = given;
  const { session, turn } = grantsOf(given);
  return { policy, approval, canAsk, grants: [...session, ...turn], rules: noRules };
}

/** The policy of a command. One that asked for the network in its call got it, even where no one could be asked. */
export function policyOfCommand(given: HostCase): ResolvedPolicy {
  const permissions = { network: true } as const;
  const needs = { effect: 'program', argv: ['make'], cwd: '/repo' } as const;
  const decided =
    given.opened === 'call'
      ? decideCall(
          { ...contextOf(given), approval: 'on-request', canAsk: true },
          { ...needs, escalation: { permissions } },
        )
      : decideCall({ ...contextOf(given), approval: 'on-request' }, needs);
  if (decided.kind === 'refuse') throw new Error(decided.why);
  return grantedPolicy(given.policy, decided);
}

/** The decision of the policy about a host that a command waits for. Without lists, nothing waits. */
export function decidedReach(given: HostCase, { host: name, port }: Target): Reach {
  const policy = policyOfCommand(given);
  if (networkReach(policy) === 'all') return 'open';
  const context = { ...contextOf(given), policy };
  const { kind } = decideConnection(context, { effect: 'program' }, { name, port, protocol: 'http' });
  return ({ run: 'open', ask: 'asked', refuse: 'closed' } as const)[kind];
}

/** The decision of the command's proxy by its lists, before anyone is asked. */
export function gateReach(given: HostCase, target: Target): Reach {
  const { network, lists } = policyOfCommand(given);
  if (network === 'restricted') return 'closed';
  const verdict = lists && decideHost(readHostLists(lists), target);
  if (verdict === undefined || verdict.kind === 'allowed') return 'open';
  return verdict.kind === 'blocked' ? 'closed' : 'asked';
}

/** The text, as the model reads it. What a call opens for itself is what a grant for the session says. */
export function hostText(given: HostCase): string {
  const { policy, approval, canAsk, opened } = given;
  const granted = standingGrants(policy, grantsOf({ ...given, opened: opened === 'call' ? 'session' : opened }));
  return renderFragment(permissionsFragment, {
    ...describePolicy(policy, '/repo'),
    opened: describeNetwork(withGrantedNetwork(policy, granted)),
    approval,
    canAsk,
    approvedPrefixes: [],
    held: noRestrictedPrefixes,
    ...defined({ granted }),
  }).text;
}

/** The reach that the text states, for a reader who knows only the text and how hosts are written. */
export function statedReach(text: string, target: Target): Reach {
  const told = readPermissions(text);
  if (told?.lists === undefined) return told?.network === 'enabled' ? 'open' : 'closed';
  const { allow, deny, asked, local, asksAboutOthers } = told.lists;
  // Beyond the limits, as the text says.
  if (told.grantedHosts.some((each) => covers(each, target))) return 'open';
  if (deny.some((each) => covers(each, target) || isSamePlace(each, target))) return 'closed';
  const listed = allow.filter((each) => covers(each, target));
  const isNamed = listed.some((each) => !each.startsWith('*'));
  if (!local && !isNamed && isPrivate(target.host)) return 'closed';
  if (asked.some((each) => covers(each, target) || isSamePlace(each, target))) return 'asked';
  if (listed.length > 0) return 'open';
  return asksAboutOthers ? 'asked' : 'closed';
}

function covers(listed: string, { host, port }: Target): boolean {
  const [, name = '', at] = /^(.*?)(?::(\d+))?$/.exec(listed) ?? [];
  if (at !== undefined && Number(at) !== port) return false;
  if (name === '*' || name === host) return true;
  if (name.startsWith('**.')) return host === name.slice(3) || host.endsWith(name.slice(2));
  return name.startsWith('*.') && host.endsWith(name.slice(1));
}

/** All names of this machine are one place. */
function isSamePlace(listed: string, { host, port }: Target): boolean {
  const here = ['127.0.0.1', 'localhost'];
  const [name = '', at] = listed.split(':');
  return here.includes(name) && here.includes(host) && (at === undefined || Number(at) === port);
}

function isPrivate(host: string): boolean {
  return host === 'localhost' || host.startsWith('127.') || host.startsWith('10.');
}
