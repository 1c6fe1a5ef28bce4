import type { Envelope } from '../../envelope/envelope.ts';
import { explainsScripts } from '../../fragments/sections/approval-text.ts';
import { approvedRuns, approvedPrefixesFragment } from '../../fragments/sections/approved-prefixes.ts';
import {
  type GrantedPart,
  grantedParts,
  grantedPermissionsFragment,
  standingLines,
} from '../../fragments/sections/granted-permissions.ts';
import { render } from '../../fragments/text/define.ts';
import { fingerprint } from '../../fragments/text/fingerprint.ts';
import { permissionsFragment, type PermissionsText } from '../../fragments/sections/permissions.ts';
import { describeNetwork, describePolicy, type ReachedNetwork } from '../../policy/describe-policy.ts';
import { type StandingGrants, withGrantedNetwork } from '../../policy/standing-grants.ts';
import { heldPatterns } from '../../policy/rules/held-patterns.ts';
import { isReviewed } from '../../policy/review/is-reviewed.ts';
import { defined } from '../../protocol/defined.ts';
import {
  arrayAt,
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../../protocol/json.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { type Section, unknown } from './section.ts';

/** The keys are shared with other programs. */
interface StoredPermissions extends JsonObject {
  /** Digest of the text without prefixes. */
  readonly instructions: string;
  readonly approved_command_prefixes: readonly (readonly string[])[];
  /** Absent in files of earlier versions, and where another program wrote the last text. */
  readonly capstan_grants?: ToldGrants;
}

/** Digests of what answers granted, and of the text without it. A part that is absent was not told. */
interface ToldGrants extends Readonly<Partial<Record<GrantedPart, string>>>, JsonObject {
  readonly rest: string;
}

type Grants = {
  readonly granted: StandingGrants | undefined;
  readonly approvedPrefixes: PermissionsText['approvedPrefixes'];
  /** There are MCP servers, whose tools are asked about. */
  readonly hasServers: boolean;
};

/** Of each policy the newest fact, and of each fact its digests: steps of one turn differ in neither, and the text is long. */
const newest = new WeakMap<Envelope['policy'], Grants & { readonly cwd: string; readonly fact: PermissionsText }>();
const digests = new WeakMap<PermissionsText, StoredPermissions>();

/** Permissions belong together: a change restates them all, save that an approval was added or a grant came or went. */
export const permissionsSection: Section<PermissionsText, StoredPermissions> = {
  id: 'permissions',
  assumes: 'the model that must keep to them',
  kinds: { telling: [permissionsFragment.id], withdrawing: [permissionsFragment.withdrawn.id] },

  of({ envelope: { policy, workspace, modes }, facts }) {
    if (modes.leaveOut.includes('permissions')) return undefined;
    const { granted, approvedPrefixes = policy.approvedPrefixes } = facts;
    const hasServers = facts.mcpServers !== undefined;
    const { cwd } = workspace;
    const known = newest.get(policy);
    const given = { granted, approvedPrefixes, hasServers };
    const isSame = known?.granted === granted && known?.approvedPrefixes === approvedPrefixes && known.cwd === cwd;
    if (known !== undefined && isSame && known.hasServers === hasServers) return known.fact;
    const fact = {
      ...describe(policy, cwd, given),
      ...(modes.collaboration.mode === 'plan' ? { plans: true as const } : {}),
    };
    newest.set(policy, { cwd, ...given, fact });
    return fact;
  },

  stored(fact) {
    const known = digests.get(fact);
    if (known !== undefined) return known;
    const stored = {
      instructions: fingerprint(render(permissionsFragment, { ...fact, approvedPrefixes: [] })),
      approved_command_prefixes: fact.approvedPrefixes,
      capstan_grants: toldGrants(fact),
    };
    digests.set(fact, stored);
    return stored;
  },

  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const instructions = stringAt(stored, 'instructions');
    const prefixes = arrayAt(stored, 'approved_command_prefixes');
    // Earlier versions told rules about hosts apart from the text. No change can take those back.
    const isOlder = 'capstan_network_rules' in stored;
    if (instructions === undefined || prefixes === undefined || isOlder) return undefined;
    return {
      instructions,
      approved_command_prefixes: prefixes as unknown as StoredPermissions['approved_command_prefixes'],
      ...defined({ capstan_grants: readGrants(objectAt(stored, 'capstan_grants')) }),
    };
  },

  full: (now) => [render(permissionsFragment, now)],

  change(before, now) {
    if (now === undefined) return [render(permissionsFragment.withdrawn, undefined)];
    if (before === unknown) return permissionsSection.full(now);
    const stored = permissionsSection.stored(now);
    const prefixes = added(before.approved_command_prefixes, stored.approved_command_prefixes);
    const changed = before.instructions === stored.instructions ? [] : changedGrants(before.capstan_grants, now);
    if (changed === undefined || prefixes === undefined) return permissionsSection.full(now);
    const newPrefixes = now.approvedPrefixes.filter((prefix) => prefixes.some((each) => equalJson(each, prefix)));
    const more = { added: newPrefixes, where: approvedRuns(now), explained: !explainsScripts(now) };
    return [
      ...(changed.length === 0 ? [] : [render(grantedPermissionsFragment, { now, changed })]),
      ...(newPrefixes.length === 0 ? [] : [render(approvedPrefixesFragment, more)]),
    ];
  },
};

function describe(policy: Envelope['policy'], cwd: string, given: Grants): PermissionsText {
  const { granted, approvedPrefixes, hasServers } = given;
  const opened = openedNetworkOf(policy.resolved, granted);
  return {
    ...describePolicy(policy.resolved, cwd),
    approval: policy.approval,
    canAsk: policy.canAsk === true,
    ...(isReviewed(policy) ? { reviewed: true as const } : {}),
    ...(hasServers ? { hasServers } : {}),
    approvedPrefixes,
    held: heldPatterns(policy.rules),
    ...defined({ answersOnce: policy.answersOnce, granted, opened }),
  };
}

/** The network as the grants open it; undefined where it is that of the policy. */
function openedNetworkOf(policy: ResolvedPolicy, granted: StandingGrants | undefined): ReachedNetwork | undefined {
  const granting = withGrantedNetwork(policy, granted);
  return granting === policy ? undefined : describeNetwork(granting);
}

function toldGrants(fact: PermissionsText): ToldGrants {
  const { granted: _granted, opened: _opened, ...rest } = { ...fact, approvedPrefixes: [] };
  const told = grantedParts.flatMap((part) => {
    const lines = standingLines(fact, part);
    return lines.length === 0
      ? []
      : [[part, fingerprint({ role: permissionsFragment.role, text: lines.join('\n') })] as const];
  });
  return { rest: fingerprint(render(permissionsFragment, rest)), ...Object.fromEntries(told) };
}

function readGrants(stored: JsonObject | undefined): ToldGrants | undefined {
  const rest = stored && stringAt(stored, 'rest');
  if (stored === undefined || rest === undefined) return undefined;
  return { rest, ...defined(Object.fromEntries(grantedParts.map((part) => [part, stringAt(stored, part)]))) };
}

/** Which grants differ from what was told; undefined where something else does, or where nothing proves that it does not. */
function changedGrants(before: ToldGrants | undefined, fact: PermissionsText): readonly GrantedPart[] | undefined {
  const now = toldGrants(fact);
  return before?.rest === now.rest ? grantedParts.filter((part) => before[part] !== now[part]) : undefined;
}

/** What came to a list; undefined when anything has left it. */
function added<Member extends Json>(before: readonly Member[], now: readonly Member[]): readonly Member[] | undefined {
  const has = (list: readonly Member[], member: Member): boolean => list.some((each) => equalJson(each, member));
  if (!before.every((member) => has(now, member))) return undefined;
  return now.filter((member) => !has(before, member));
}
