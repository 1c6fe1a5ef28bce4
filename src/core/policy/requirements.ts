import { defined } from '../../base/objects.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy, FileSystemEntry, PermissionProfile, SandboxMode } from '../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../protocol/question.ts';
import type { RequiredServers } from './allowed-mcp-servers.ts';
import { isSameApproval } from './decide/approval-policy.ts';
import { isWithin, normalisePath } from './paths/absolute-paths.ts';
import { globCovers, literalGlob } from './paths/glob.ts';
import { noOwnPlaces, type OwnPlaces, reopensOwnPlaces } from './paths/special-places.ts';
import { grantsNoMoreThan } from './profiles/narrower-profile.ts';
import { type ProfileWidth, profileWidth } from './profiles/profile-entries.ts';
import type { NamedProfile } from './profiles/profiles.ts';
import type { ProfileTables } from './profiles/tables/profile-tables.ts';
import type { PrefixRule } from './rules/rule-set.ts';

/** What the administrator of the machine demands. No layer of the configuration, no flag and no client can weaken it. */
export interface Requirements {
  readonly approvals?: Allowed<ApprovalPolicy>;
  readonly reviewers?: Allowed<ApprovalsReviewer>;
  /** What every reviewer also reads, instead of what the configuration says. */
  readonly reviewPolicy?: string;
  /** `read-only` is always among them. */
  readonly sandboxModes?: Allowed<ProfileWidth>;
  readonly profiles?: AllowedProfiles;
  /** Places of the engine: a profile that reopens any of them is wider than every mode but full access. Absent: unknown. */
  readonly ownPlaces?: OwnPlaces;
  /** Profiles that the administrator defines, as they are written. */
  readonly profileTables?: ProfileTables;
  readonly denyRead?: DeniedReads;
  /** Hold beside those of the files. None of them allows anything. */
  readonly rules?: readonly PrefixRule[];
  /** Models for which rules that allow commands do not count, and none is offered to be saved. */
  readonly allowIgnoredOn?: readonly string[];
  /** Features that are open or closed, whatever the configuration says. */
  readonly features?: { readonly pins: Readonly<Record<string, boolean>>; readonly source: string };
  /** How the provider may search the web. Absent: in every way. */
  readonly webSearchModes?: readonly WebSearchMode[];
  /** Whether the user's login shell is asked for variables, whatever the configuration says. */
  readonly allowLoginShell?: boolean;
  /** How users may sign in, whatever the configuration says. */
  readonly loginMethods?: readonly LoginMethod[];
  /** Accounts of ChatGPT that may be used. */
  readonly loginWorkspaces?: readonly string[];
  /** Where logins are kept, whatever the configuration says. */
  readonly credentialStore?: CredentialStoreName;
  /** Hooks of the administrator, as they are written. They run without being trusted. */
  readonly hooks?: { readonly table: JsonObject; readonly source: string };
  /** No other hooks run. */
  readonly managedHooksOnly?: true;
  /** Other MCP servers are not used. */
  readonly mcpServers?: RequiredServers;
  /** Sent to the model besides everything else. */
  readonly instructions?: string;
  /** What a new thread starts with where nothing was chosen. */
  readonly newThread?: NewThreadDefaults;
}

/** What a setting may be. The first value holds in place of one that is not allowed. */
export interface Allowed<Value> {
  readonly allowed: readonly [Value, ...Value[]];
  /** The file, with the line as far as it is known. */
  readonly source: string;
  readonly key: string;
}

/** What commands may be given. A profile that grants no more than one of these is allowed as well. */
export interface AllowedProfiles {
  readonly allowed: readonly [NamedProfile, ...NamedProfile[]];
  /** Holds in place of one that is not allowed. */
  readonly instead: NamedProfile;
  readonly source: string;
  readonly key: string;
}

/** What commands must never read. */
export interface DeniedReads {
  /** Absolute paths and globs. */
  readonly patterns: readonly string[];
  readonly source: string;
}

export interface NewThreadDefaults {
  readonly model?: string;
  readonly effort?: string;
  readonly serviceTier?: string;
}

export const noRequirements: Requirements = {};

/** The requirement that the policy breaks, or undefined. */
export function brokenByApproval({ approvals }: Requirements, approval: ApprovalPolicy) {
  // A policy that turns some questions of `on-request` off is no wider than that.
  const fits = (allowed: ApprovalPolicy): boolean =>
    isSameApproval(allowed, approval) || (allowed === 'on-request' && typeof approval !== 'string');
  return approvals?.allowed.some(fits) === false ? approvals : undefined;
}

/** The requirement that the reviewer breaks, or undefined. */
export function brokenByReviewer({ reviewers }: Requirements, reviewer: ApprovalsReviewer) {
  return reviewers?.allowed.includes(reviewer) === false ? reviewers : undefined;
}

/** The requirement that the profile breaks, or undefined. */
export function brokenByProfile(requirements: Requirements, profile: PermissionProfile) {
  const { sandboxModes } = requirements;
  return sandboxModes?.allowed.includes(effectiveWidth(requirements, profile)) === false ? sandboxModes : undefined;
}

/** How wide a profile counts. Commands that can change what Capstan keeps decide about later runs, as without a sandbox. */
export function effectiveWidth({ ownPlaces }: Requirements, profile: PermissionProfile): ProfileWidth {
  const isReopened = ownPlaces !== undefined && reopensOwnPlaces(profile, ownPlaces);
  return isReopened ? 'danger-full-access' : profileWidth(profile);
}

/** The same for the profiles that may be chosen. */
export function brokenByChoice(
  { profiles, ownPlaces = noOwnPlaces }: Requirements,
  profile: PermissionProfile,
): AllowedProfiles | undefined {
  const isAllowed = profiles?.allowed.some((allowed) => grantsNoMoreThan(allowed.profile, profile, ownPlaces));
  return isAllowed === false ? profiles : undefined;
}

/** The mode that holds in place of one that is not allowed. */
export function replacementMode({ allowed: [first] }: Allowed<ProfileWidth>): SandboxMode {
  // That a sandbox stands around us is a fact, which no requirement can bring about.
  return first === 'external-sandbox' ? 'read-only' : first;
}

/** Where logins are kept. */
export const credentialStores = ['file', 'keyring', 'auto', 'ephemeral'] as const;
export type CredentialStoreName = (typeof credentialStores)[number];

export const loginMethods = ['chatgpt', 'api'] as const;
export type LoginMethod = (typeof loginMethods)[number];

/** How users may sign in. What is absent is not limited. */
export interface LoginLimits {
  readonly methods?: readonly LoginMethod[];
  /** Accounts of ChatGPT. */
  readonly workspaces?: readonly string[];
}

/** What the user chose and what the administrator allows: both hold. */
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

function both<Value>(one: readonly Value[] | undefined, other: readonly Value[] | undefined) {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((value) => other.includes(value));
}

const names = { chatgpt: 'ChatGPT', api: 'an API key' };

/** Why a login is not allowed; undefined when it is. One whose account is not known belongs to no allowed workspace. */
export function refuseLogin(
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

/** How the provider may search the web: what it keeps, what it indexed, or the web itself. */
export const webSearchModes = ['disabled', 'cached', 'indexed', 'live'] as const;

export type WebSearchMode = (typeof webSearchModes)[number];

/**
 * The mode of a turn. Where commands may do everything, a kept copy of the web protects nothing, so the web itself is
 * searched, if that is allowed. `indexed` is never chosen for a user who did not ask for it.
 */
export function webSearchMode({
  wanted,
  allowed = webSearchModes,
  isUnlimited,
}: {
  readonly wanted: WebSearchMode;
  readonly allowed?: readonly WebSearchMode[];
  readonly isUnlimited: boolean;
}): WebSearchMode {
  if (wanted === 'disabled') return wanted;
  const order: readonly WebSearchMode[] =
    isUnlimited && wanted !== 'indexed' ? ['live', 'cached'] : [wanted, 'cached', 'live'];
  return order.find((mode) => allowed.includes(mode)) ?? 'disabled';
}

/** The profile without what must never be read; one that restricts nothing gets a sandbox for it. Can be done twice. */
export function withDeniedReads({ denyRead }: Requirements, profile: PermissionProfile): PermissionProfile {
  if (denyRead === undefined || denyRead.patterns.length === 0) return profile;
  const rules = restricted(profile) ?? { type: 'restricted', entries: [wholeDisk] };
  const known = new Set(rules.entries.map((entry) => JSON.stringify(entry)));
  const added = denyRead.patterns.flatMap(denials).filter((entry) => !known.has(JSON.stringify(entry)));
  // A depth that a user chose for other patterns must not limit these.
  const { glob_scan_max_depth: _depth, ...unlimited } = rules;
  const file_system = { ...unlimited, entries: [...rules.entries, ...added] };
  if (profile.type === 'managed') return { ...profile, file_system };
  return { type: 'managed', file_system, network: profile.type === 'disabled' ? 'enabled' : profile.network };
}

/** The profile as it was before, so that it can be compared with those that modes give. */
export function withoutDeniedReads({ denyRead }: Requirements, profile: PermissionProfile): PermissionProfile {
  const rules = restricted(profile);
  if (denyRead === undefined || rules === undefined || profile.type !== 'managed') return profile;
  const denied = new Set(denyRead.patterns.flatMap(denials).map((entry) => JSON.stringify(entry)));
  const entries = rules.entries.filter((entry) => !denied.has(JSON.stringify(entry)));
  return { ...profile, file_system: { ...rules, entries } };
}

/** Whether the machine's manager forbids reading a path. Asked about its spelling and about where it really leads. */
export function deniesRead({ denyRead }: Requirements, path: string): boolean {
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

function restricted(profile: PermissionProfile) {
  return profile.type === 'managed' && profile.file_system.type === 'restricted' ? profile.file_system : undefined;
}

function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

/** A path is denied as a pattern as well: a profile can open what lies in a denied folder, and nothing that matches one. */
function denials(pattern: string): readonly FileSystemEntry[] {
  const matches: FileSystemEntry = { path: { type: 'glob_pattern', pattern: patternOf(pattern) }, access: 'deny' };
  return isGlob(pattern) ? [matches] : [{ path: { type: 'path', path: pattern }, access: 'deny' }, matches];
}

function patternOf(pattern: string): string {
  return isGlob(pattern) ? pattern : literalGlob(normalisePath(pattern) ?? pattern);
}
