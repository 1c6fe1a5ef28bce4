import { cachePerObject, defined } from '../../../base/objects.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { arrayAt, equalJson, isJsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Envelope } from '../../envelope/envelope.ts';
import {
  defineWithdrawableFragment,
  defineFragment,
  fingerprint,
  renderFragment,
} from '../../fragments/text/define-fragment.ts';
import { type BoundedList, byteLength, bytesPerToken, dashedLines } from '../../fragments/text/truncate.ts';
import { mayReviewerAnswer } from '../../policy/decide/approval-policy.ts';
import { type StandingGrants, withGrantedNetwork } from '../../policy/grants/granted-policy.ts';
import type { PolicyDescription, ReachedNetwork } from '../../policy/profiles/describe-policy.ts';
import { describeNetwork, describePolicy } from '../../policy/profiles/describe-policy.ts';
import { type RestrictedPrefixes, restrictedPrefixes } from '../../policy/rules/rule-set.ts';
import {
  approvalLines,
  approvedPrefixesFragment,
  placeOfApprovedCommands,
  approvedTitle,
  explainsScripts,
  howScriptsAreRead,
  listPrefixes,
} from './approvals.ts';
import type { ApprovalFacts, CommandPrefix } from './approvals.ts';
import type { NetworkFacts } from './permission-lists.ts';
import { fileLines, grantedLines, restrictedCommandLines, reachableNetworkLines } from './permission-lists.ts';
import { type Section, unknownState } from './section.ts';

/** Permissions as described to the model. Made from the same resolved policy that the sandbox enforces (I5). */
export interface PermissionsText extends PolicyDescription, ApprovalFacts {
  readonly approvedPrefixes: readonly CommandPrefix[];
  readonly held: RestrictedPrefixes;
  /** Additional grants of the user. Absent: none. */
  readonly granted?: StandingGrants;
  /** The network as these grants opened it. Absent if none did. */
  readonly opened?: ReachedNetwork;
}

const modeSentence: Readonly<Record<PermissionsText['mode'], string>> = {
  'read-only': 'Commands can look at files and change none.',
  'workspace-write': 'Commands can change files below the writable roots listed here, and nowhere else.',
  'danger-full-access': 'Commands run without a sandbox and can change anything this user can change.',
  'external-sandbox': 'Another program isolates this process; its limits are not known here.',
};

const capTokens = 6000;
/** Leaves space for the markers and a line that counts omissions. */
const mostBytes = capTokens * bytesPerToken - 200;

export const permissionsFragment = defineWithdrawableFragment<PermissionsText>({
  id: 'permissions',
  purpose: 'What the sandbox allows, how to ask for more, and what is permanently approved or denied.',
  markers: ['<permissions instructions>', '</permissions instructions>'],
  capTokens,
  section: 'permissions',
  body(told) {
    const lines = [
      `Sandbox: ${told.mode}. ${modeSentence[told.mode]}`,
      ...reachableNetworkLines(told),
      ...approvalLines(told),
      ...fileLines(told),
      ...Object.values(grantedLines(told.granted)),
    ];
    // Nothing runs, so limits on running commands are left out.
    if (!told.canAsk && told.approval === 'untrusted') return `\n${lines.join('\n')}\n`;
    const isUnread = told.approvedPrefixes.length > 0 && !explainsScripts(told);
    const ruled = [
      ...restrictedCommandLines(told),
      ...(isUnread ? [howScriptsAreRead] : []),
      ...titled(`${approvedTitle[placeOfApprovedCommands(told)]}:`, listPrefixes(told.approvedPrefixes)),
    ];
    return `\n${[...lines, ...fitting(ruled, mostBytes - byteLength(lines.join('\n')))].join('\n')}\n`;
  },
  withdrawn: '\nThe permissions described earlier are withdrawn. Find out by trying what is allowed.\n',
});

/** Drops rules that do not fit: commands held back still fail, and allowing rules only add. */
function fitting(lines: readonly string[], bytes: number): readonly string[] {
  let left = bytes;
  const end = lines.findIndex((line) => (left -= byteLength(line) + 1) < 0);
  return end === -1
    ? lines
    : [...lines.slice(0, end), `… and ${lines.length - end} more lines that are not listed here`];
}

function titled(title: string, entries: BoundedList): readonly string[] {
  const lines = dashedLines(entries);
  return lines.length === 0 ? [] : [title, ...lines];
}

/** The keys are shared with other programs. */
interface StoredPermissions extends JsonObject {
  /** Digest of the text without prefixes. */
  readonly instructions: string;
  readonly approved_command_prefixes: readonly (readonly string[])[];
  /** Absent in files of earlier versions, and if another program wrote the last text. */
  readonly capstan_grants?: ToldGrants;
}

/** Digests of granted parts, and of the text without them. An absent part was not sent. */
type ToldGrants = JsonObject & Readonly<Partial<Record<GrantedPart, string>>> & { readonly rest: string };

type Grants = {
  readonly granted: StandingGrants | undefined;
  readonly approvedPrefixes: PermissionsText['approvedPrefixes'];
  readonly hasServers: boolean;
};

/** The newest fact per policy: the text is long and seldom changes within a turn. Digests are cached per fact. */
const newest = new WeakMap<Envelope['policy'], Grants & { readonly cwd: string; readonly fact: PermissionsText }>();

/** Permissions belong together: any change restates them all, unless an approval was added or a grant came or went. */
export const permissionsSection: Section<PermissionsText, StoredPermissions> = {
  id: 'permissions',
  assumes: 'the model that must keep to them',
  family: permissionsFragment,
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
  stored: cachePerObject((fact: PermissionsText): StoredPermissions => ({
    instructions: fingerprint(renderFragment(permissionsFragment, { ...fact, approvedPrefixes: [] })),
    approved_command_prefixes: fact.approvedPrefixes,
    capstan_grants: toldGrants(fact),
  })),
  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const instructions = stringAt(stored, 'instructions');
    const prefixes = arrayAt(stored, 'approved_command_prefixes');
    // Earlier versions sent host rules in a separate text. A change cannot withdraw it, so the past counts as unknown.
    const isOlder = 'capstan_network_rules' in stored;
    if (instructions === undefined || prefixes === undefined || isOlder) return undefined;
    return {
      instructions,
      approved_command_prefixes: prefixes as unknown as StoredPermissions['approved_command_prefixes'],
      ...defined({ capstan_grants: readGrants(objectAt(stored, 'capstan_grants')) }),
    };
  },
  full: (now) => [renderFragment(permissionsFragment, now)],
  change(before, now) {
    if (now === undefined) return [renderFragment(permissionsFragment.withdrawn, undefined)];
    if (before === unknownState) return permissionsSection.full(now);
    const stored = permissionsSection.stored(now);
    const prefixes = added(before.approved_command_prefixes, stored.approved_command_prefixes);
    const changed = before.instructions === stored.instructions ? [] : changedGrants(before.capstan_grants, now);
    if (changed === undefined || prefixes === undefined) return permissionsSection.full(now);
    const newPrefixes = now.approvedPrefixes.filter((prefix) => prefixes.some((each) => equalJson(each, prefix)));
    const more = { added: newPrefixes, where: placeOfApprovedCommands(now), explained: !explainsScripts(now) };
    return [
      ...(changed.length === 0 ? [] : [renderFragment(grantedPermissionsFragment, { now, changed })]),
      ...(newPrefixes.length === 0 ? [] : [renderFragment(approvedPrefixesFragment, more)]),
    ];
  },
};

function describe(policy: Envelope['policy'], cwd: string, given: Grants): PermissionsText {
  const { granted, approvedPrefixes, hasServers } = given;
  const granting = withGrantedNetwork(policy.resolved, granted);
  // The grants may open no more than the policy.
  const opened = granting === policy.resolved ? undefined : describeNetwork(granting);
  return {
    ...describePolicy(policy.resolved, cwd),
    approval: policy.approval,
    canAsk: policy.canAsk === true,
    ...(mayReviewerAnswer(policy) ? { reviewed: true as const } : {}),
    ...(hasServers ? { hasServers } : {}),
    approvedPrefixes,
    held: restrictedPrefixes(policy.rules),
    ...defined({ answersOnce: policy.answersOnce, granted, opened }),
  };
}

function toldGrants(fact: PermissionsText): ToldGrants {
  const { granted: _granted, opened: _opened, ...rest } = { ...fact, approvedPrefixes: [] };
  const told = grantedParts.flatMap((part) => {
    const lines = standingLines(fact, part);
    return lines.length === 0
      ? []
      : [[part, fingerprint({ role: permissionsFragment.role, text: lines.join('\n') })] as const];
  });
  return { rest: fingerprint(renderFragment(permissionsFragment, rest)), ...Object.fromEntries(told) };
}

function readGrants(stored: JsonObject | undefined): ToldGrants | undefined {
  const rest = stored && stringAt(stored, 'rest');
  if (stored === undefined || rest === undefined) return undefined;
  return { rest, ...defined(Object.fromEntries(grantedParts.map((part) => [part, stringAt(stored, part)]))) };
}

/** Grants that differ from those sent; undefined if anything else differs or may differ. */
function changedGrants(before: ToldGrants | undefined, fact: PermissionsText): readonly GrantedPart[] | undefined {
  const now = toldGrants(fact);
  return before?.rest === now.rest ? grantedParts.filter((part) => before[part] !== now[part]) : undefined;
}

/** Members added to a list; undefined if any was removed. */
function added<Member extends Json>(before: readonly Member[], now: readonly Member[]): readonly Member[] | undefined {
  const has = (list: readonly Member[], member: Member): boolean => list.some((each) => equalJson(each, member));
  return !before.every((member) => has(now, member)) ? undefined : now.filter((member) => !has(before, member));
}

/** Parts of the permissions that user answers change: each is sent or withdrawn separately. */
export const grantedParts = ['network', 'session', 'turn'] as const;
type GrantedPart = (typeof grantedParts)[number];
export type GrantFacts = NetworkFacts & { readonly granted?: StandingGrants };
export type ChangedGrants = { readonly now: GrantFacts; readonly changed: readonly GrantedPart[] };

/** Grants change separately; when anything else changes, all permissions are sent again. */
export const grantedPermissionsFragment = defineFragment<ChangedGrants>({
  id: 'granted-permissions',
  purpose: 'What the user granted beyond `permissions`, or what of it has ended, since that was sent.',
  capTokens: 3000,
  section: 'permissions',
  body: ({ now, changed }) =>
    `\n${[introduction, ...grantedParts.flatMap((part) => (changed.includes(part) ? linesOf(now, part) : []))].join('\n')}\n`,
});

const introduction = 'Of the permissions described earlier, this is different now. All else stays as it was.';

function standingLines(now: GrantFacts, part: GrantedPart): readonly string[] {
  if (part === 'network') return now.opened === undefined ? [] : reachableNetworkLines(now);
  const line = grantedLines(now.granted)[part];
  return line === undefined ? [] : [line];
}

function linesOf(now: GrantFacts, part: GrantedPart): readonly string[] {
  if (part === 'network') return reachableNetworkLines(now);
  const time = part === 'session' ? 'this session' : 'the rest of this turn';
  return [
    grantedLines(now.granted)[part] ?? `Granted for ${time}, beyond the limits of the sandbox: nothing any more.`,
  ];
}

/** Recognised in older files, but no longer written: the hosts that rules open are in `permissions`. */
export const networkRulesFragment = defineFragment<{ readonly rules: string }>({
  id: 'network-rules',
  purpose: 'Rules about hosts, in threads of earlier versions and of other programs. `permissions` has them now.',
  capTokens: 1500,
  section: 'permissions',
  matches: (text) =>
    /^\s*<network_rules>[\s\S]*<\/network_rules>\s*$/i.test(text) ||
    /^\s*(?:Allowed|Denied) network rule saved in execpolicy\b/.test(text),
  body: ({ rules }) => `\n${rules}\n`,
});
