import { defined } from '../../base/objects.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type {
  ApprovalPolicy,
  FileSystemEntry,
  PathPattern,
  PermissionProfile,
  SandboxMode,
} from '../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../protocol/question.ts';
import type { AllowedServers } from './allowed-mcp-servers.ts';
import { isSameApproval } from './decide/approval-policy.ts';
import { isWithin, normalisePath } from './paths/absolute-paths.ts';
import { globCovers, escapeGlob } from './paths/glob.ts';
import { type OwnPlaces, reopensOwnPlaces } from './paths/special-places.ts';
import { grantsNoMoreThan } from './profiles/narrower-profile.ts';
import { type SandboxLevel, profileSandboxLevel, restrictedFileSystem } from './profiles/profile-entries.ts';
import type { NamedProfile } from './profiles/profiles.ts';
import type { ProfileTables } from './profiles/tables/profile-tables.ts';
import type { PrefixRule } from './rules/rule-set.ts';

/** Demands of the machine's administrator. No configuration layer, flag or client can weaken them. */
export interface ManagedRequirements {
  readonly approvals?: AllowedValues<ApprovalPolicy>;
  readonly reviewers?: AllowedValues<ApprovalsReviewer>;
  /** Read by every reviewer, instead of the configured policy. */
  readonly reviewPolicy?: string;
  /** Always includes `read-only`. */
  readonly sandboxModes?: AllowedValues<SandboxLevel>;
  readonly profiles?: AllowedProfiles;
  /** The engine's places: a profile that reopens one is wider than every mode but full access. Absent: unknown. */
  readonly ownPlaces?: OwnPlaces;
  /** Profiles that the administrator defines, unparsed. */
  readonly profileTables?: ProfileTables;
  readonly denyRead?: DeniedReads;
  /** Added to the rules of files. None of them allows anything. */
  readonly rules?: readonly PrefixRule[];
  /** Models for which rules that allow commands do not count, and none is offered to be saved. */
  readonly allowIgnoredOn?: readonly string[];
  /** Fixed on or off, whatever the configuration says. */
  readonly features?: { readonly pins: Readonly<Record<string, boolean>>; readonly source: string };
  /** Permitted web searches of the provider. Absent: all. */
  readonly webSearchModes?: readonly WebSearchMode[];
  /** Overrides the configuration on querying the login shell for variables. */
  readonly allowLoginShell?: boolean;
  /** Permitted sign-in methods, whatever the configuration says. */
  readonly loginMethods?: readonly LoginMethod[];
  readonly loginWorkspaces?: readonly string[];
  /** Overrides the configured place for logins. */
  readonly credentialStore?: CredentialStoreName;
  /** Hooks of the administrator, unparsed. They run without being trusted. */
  readonly hooks?: { readonly table: JsonObject; readonly source: string };
  readonly managedHooksOnly?: true;
  /** Other MCP servers are not used. */
  readonly mcpServers?: AllowedServers;
  readonly instructions?: string;
  readonly newThread?: Readonly<Partial<Record<'model' | 'effort' | 'serviceTier', string>>>;
}

/** Permitted values of a setting. The first replaces one that is not allowed. */
export interface AllowedValues<Value> {
  readonly allowed: readonly [Value, ...Value[]];
  /** The file, with the line if known. */
  readonly source: string;
  readonly key: string;
}

/** Permitted profiles. One that grants no more than one of these is allowed as well. */
export type AllowedProfiles = AllowedValues<NamedProfile> & { readonly instead: NamedProfile };
/** `patterns`: absolute paths and globs. */
export type DeniedReads = { readonly patterns: readonly string[]; readonly source: string };
export const noRequirements: ManagedRequirements = {};

export function brokenApprovalRequirement({ approvals }: ManagedRequirements, approval: ApprovalPolicy) {
  // A granular policy, which turns off some questions of `on-request`, is no wider than it.
  const fits = (allowed: ApprovalPolicy): boolean =>
    isSameApproval(allowed, approval) || (allowed === 'on-request' && typeof approval !== 'string');
  return approvals?.allowed.some(fits) === false ? approvals : undefined;
}

export const brokenReviewerRequirement = ({ reviewers }: ManagedRequirements, reviewer: ApprovalsReviewer) =>
  reviewers?.allowed.includes(reviewer) === false ? reviewers : undefined;

export function brokenSandboxRequirement(requirements: ManagedRequirements, profile: PermissionProfile) {
  const { sandboxModes: modes } = requirements;
  return modes?.allowed.includes(effectiveSandboxLevel(requirements, profile)) === false ? modes : undefined;
}

/** A profile's effective width. Commands that can change Capstan's own files are as free as without a sandbox. */
export function effectiveSandboxLevel({ ownPlaces }: ManagedRequirements, profile: PermissionProfile): SandboxLevel {
  const isReopened = ownPlaces !== undefined && reopensOwnPlaces(profile, ownPlaces);
  return isReopened ? 'danger-full-access' : profileSandboxLevel(profile);
}

export function brokenProfileRequirement({ profiles, ownPlaces }: ManagedRequirements, profile: PermissionProfile) {
  const isAllowed = profiles?.allowed.some((allowed) => grantsNoMoreThan(allowed.profile, profile, ownPlaces));
  return isAllowed === false ? profiles : undefined;
}

export function replacementMode({ allowed: [first] }: AllowedValues<SandboxLevel>): SandboxMode {
  // No requirement can create an outer sandbox.
  return first === 'external-sandbox' ? 'read-only' : first;
}

export const credentialStores = ['file', 'keyring', 'auto', 'ephemeral'] as const;
export type CredentialStoreName = (typeof credentialStores)[number];
export const loginMethods = ['chatgpt', 'api'] as const;
export type LoginMethod = (typeof loginMethods)[number];
/** Permitted sign-ins. Absent members are not limited. `workspaces`: ChatGPT accounts. */
export type LoginLimits = { readonly methods?: readonly LoginMethod[]; readonly workspaces?: readonly string[] };

export function loginLimits(
  chosen: { readonly forcedLoginMethod?: LoginMethod; readonly forcedChatgptWorkspaceId?: readonly string[] },
  required: { readonly loginMethods?: readonly LoginMethod[]; readonly loginWorkspaces?: readonly string[] },
): LoginLimits {
  const { forcedLoginMethod: method, forcedChatgptWorkspaceId: ids = [] } = chosen;
  const workspaces = ids.map((id) => id.trim()).filter((id) => id !== '');
  return defined({
    methods: both(method === undefined ? undefined : [method], required.loginMethods),
    workspaces: both(workspaces.length === 0 ? undefined : workspaces, required.loginWorkspaces),
  });
}

const both = <Value>(one: readonly Value[] | undefined, other: readonly Value[] | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : one.filter((value) => other.includes(value));
const names = { chatgpt: 'ChatGPT', api: 'an API key' };

/** Why a login is not allowed; undefined if it is. One with an unknown account belongs to no allowed workspace. */
export function loginRefusal(
  { method, accountId }: { readonly method: LoginMethod; readonly accountId: string | undefined },
  { methods, workspaces }: LoginLimits,
): Outcome<'login-not-allowed'> | undefined {
  const refused = (message: string, next: string) => ({ code: 'login-not-allowed', message, next }) as const;
  if (methods !== undefined && !methods.includes(method)) {
    const [allowed] = methods;
    const message = `A login with ${names[method]} is not allowed here, by forced_login_method or by the administrator.`;
    if (allowed === undefined)
      return refused(message, 'Ask the administrator of this machine: no way to sign in is left.');
    const command = allowed === 'api' ? 'capstan login --with-api-key' : 'capstan login';
    return refused(message, `Sign in with ${names[allowed]}: \`${command}\`.`);
  }
  if (method !== 'chatgpt' || workspaces === undefined) return undefined;
  if (accountId !== undefined && workspaces.includes(accountId)) return undefined;
  return refused(
    'The login belongs to a workspace that is not allowed here, by forced_chatgpt_workspace_id or by the administrator.',
    'Sign in again with `capstan login` and choose an allowed workspace.',
  );
}

/** Web searches of the provider: in its cache, in its index, or on the live web. */
export const webSearchModes = ['disabled', 'cached', 'indexed', 'live'] as const;
export type WebSearchMode = (typeof webSearchModes)[number];

interface WebSearchChoice {
  readonly wanted: WebSearchMode;
  readonly allowed?: readonly WebSearchMode[];
  readonly isUnlimited: boolean;
}

/**
 * The mode of a turn. Where commands may do everything, a cached web protects nothing, so the live one is searched if
 * allowed. `indexed` is never chosen for a user who did not ask for it.
 */
export function webSearchMode({ wanted, allowed = webSearchModes, isUnlimited }: WebSearchChoice): WebSearchMode {
  if (wanted === 'disabled') return wanted;
  const live: readonly WebSearchMode[] = isUnlimited && wanted !== 'indexed' ? ['live'] : [wanted];
  return [...live, 'cached' as const, 'live' as const].find((mode) => allowed.includes(mode)) ?? 'disabled';
}

/** Denies the administrator's unreadable paths; an unrestricted profile gets a sandbox for it. Idempotent. */
export function withDeniedReads({ denyRead }: ManagedRequirements, profile: PermissionProfile): PermissionProfile {
  if (denyRead === undefined || denyRead.patterns.length === 0) return profile;
  const rules = restrictedFileSystem(profile) ?? { type: 'restricted', entries: [wholeDisk] };
  const known = new Set(rules.entries.map((entry) => JSON.stringify(entry)));
  const added = denyRead.patterns.flatMap(denials).filter((entry) => !known.has(JSON.stringify(entry)));
  // A depth that a user chose for other patterns must not limit these.
  const { glob_scan_max_depth: _depth, ...unlimited } = rules;
  const file_system = { ...unlimited, entries: [...rules.entries, ...added] };
  if (profile.type === 'managed') return { ...profile, file_system };
  return { type: 'managed', file_system, network: profile.type === 'disabled' ? 'enabled' : profile.network };
}

/** Reverses `withDeniedReads`, so that the profile can be compared with those of modes. */
export function withoutDeniedReads({ denyRead }: ManagedRequirements, profile: PermissionProfile): PermissionProfile {
  const rules = restrictedFileSystem(profile);
  if (denyRead === undefined || rules === undefined || profile.type !== 'managed') return profile;
  const denied = new Set(denyRead.patterns.flatMap(denials).map((entry) => JSON.stringify(entry)));
  const entries = rules.entries.filter((entry) => !denied.has(JSON.stringify(entry)));
  return { ...profile, file_system: { ...rules, entries } };
}

/** True if the administrator forbids reading a path. Check both its spelling and its real path. */
export function deniesRead({ denyRead }: ManagedRequirements, path: string): boolean {
  const target = normalisePath(path);
  if (denyRead === undefined || denyRead.patterns.length === 0) return false;
  if (target === undefined) return true;
  return denyRead.patterns.some((pattern) => {
    if (isGlob(pattern)) return globCovers(pattern, target);
    const folder = normalisePath(pattern);
    return folder === undefined || isWithin(target, folder);
  });
}

const wholeDisk: FileSystemEntry = { path: { type: 'special', value: { kind: 'root' } }, access: 'write' };
const isGlob = (pattern: string): boolean => /[*?[{]/.test(pattern);

/** A path is also denied as a pattern: a profile can open paths inside a denied folder, but no match of a pattern. */
function denials(pattern: string): readonly FileSystemEntry[] {
  const literal = escapeGlob(normalisePath(pattern) ?? pattern);
  return isGlob(pattern)
    ? [deny({ type: 'glob_pattern', pattern })]
    : [deny({ type: 'path', path: pattern }), deny({ type: 'glob_pattern', pattern: literal })];
}

const deny = (path: PathPattern): FileSystemEntry => ({ path, access: 'deny' });
