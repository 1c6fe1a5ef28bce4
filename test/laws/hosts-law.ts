import fc from 'fast-check';
import { permissionsFragment } from '../../src/fragments/sections/permissions.ts';
import { render } from '../../src/fragments/text/define.ts';
import type { DecisionContext } from '../../src/policy/call-decision.ts';
import { decideConnection } from '../../src/policy/decide-connection.ts';
import { describePolicy } from '../../src/policy/describe-policy.ts';
import { grantedPolicy, isNoPermission, standingPermissions } from '../../src/policy/granted-policy.ts';
import { hostKey } from '../../src/policy/grants.ts';
import { nothingHeld } from '../../src/policy/rules/held-patterns.ts';
import { withNetworkRules } from '../../src/policy/network/network-rules.ts';
import { decidedHosts } from '../../src/policy/rules/allowed-by-rules.ts';
import { readRules } from '../../src/policy/rules/read-rules.ts';
import type { NetworkLists } from '../../src/protocol/network-lists.ts';
import type { ApprovalPolicy } from '../../src/protocol/permission-profile.ts';
import type { ResolvedPolicy } from '../../src/protocol/resolved-policy.ts';
import { readPermissions } from './permissions-reader.ts';

/** What a command meets that wants to connect. */
type Reach = 'open' | 'asked' | 'closed';

export interface HostCase {
  readonly policy: ResolvedPolicy;
  readonly approval: ApprovalPolicy;
  readonly canAsk: boolean;
  /** Answers for the session. */
  readonly answered: readonly Target[];
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
    network: fc.constantFrom('enabled', 'enabled', 'enabled', 'restricted'),
    lists,
    rules: fc.array(rule, { maxLength: 5 }),
    approval: fc.oneof(
      fc.constantFrom<ApprovalPolicy>('on-request', 'untrusted', 'never'),
      flags.map((granular) => ({ granular })),
    ),
    canAsk: fc.boolean(),
    answered: fc.subarray([...targets], { maxLength: 3 }),
  })
  .map(({ network, lists, rules, ...more }) => {
    const files = { kind: 'restricted', rules: [], denyGlobs: [], platformDefaults: true } as const;
    const base: ResolvedPolicy = { enforcement: 'managed', files, network, lists };
    const read = readRules(rules.join('\n'), { file: 'x.rules' });
    if (read.kind !== 'read') throw new Error(read.message);
    return { ...more, policy: withNetworkRules(base, decidedHosts(read.rules)) };
  });

function contextOf({ policy, approval, canAsk, answered }: HostCase): DecisionContext {
  const grants = answered.map(({ host: name, port }) => ({ key: hostKey({ name, port, protocol: 'http' }) }));
  return { policy, approval, canAsk, grants, rules: { prefixes: [], hosts: [], executables: {} } };
}

/** What the policy decides. */
export function decidedReach(given: HostCase, { host: name, port }: Target): Reach {
  const { kind } = decideConnection(contextOf(given), { effect: 'program' }, { name, port, protocol: 'http' });
  return ({ run: 'open', ask: 'asked', refuse: 'closed' } as const)[kind];
}

/** The lists that a command's proxy goes by; undefined: it has none, and reaches nothing. */
export function listsOfCommand(given: HostCase): NetworkLists | undefined {
  const { policy, grants } = contextOf(given);
  const extra = standingPermissions(policy, grants);
  const granted = grantedPolicy(policy, { where: 'sandbox', extra });
  return granted.network === 'restricted' ? undefined : granted.lists;
}

/** The text, as the model reads it. */
export function hostText(given: HostCase): string {
  const { policy, approval, canAsk, grants } = contextOf(given);
  const granted = standingPermissions(policy, grants);
  return render(permissionsFragment, {
    ...describePolicy(policy, '/repo'),
    approval,
    canAsk,
    approvedPrefixes: [],
    held: nothingHeld,
    ...(isNoPermission(granted) ? {} : { granted }),
  }).text;
}

/** What the text says, for a reader who knows nothing but the text and how hosts are written. */
export function statedReach(text: string, target: Target): Reach {
  const told = readPermissions(text);
  if (told?.lists === undefined) return 'closed';
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
