import type { JsonObject } from '../protocol/json.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxMode } from '../protocol/permission-profile.ts';
import type { ApprovalsReviewer } from '../protocol/review-verdict.ts';
import { isSameApproval } from './approval-policy.ts';
import { grantsNoMoreThan } from './narrower.ts';
import { noOwnPlaces, type OwnPlaces, reopensOwnPlaces } from './own-places.ts';
import type { CredentialStoreName, LoginMethod } from './login-limits.ts';
import { type ProfileWidth, widthOf } from './profile-width.ts';
import type { NamedProfile } from './profiles.ts';
import type { ProfileTables } from './profile-tables.ts';
import type { RequiredServers } from './required-servers.ts';
import type { PrefixRule } from './rules/rule-set.ts';
import type { WebSearchMode } from './web-search.ts';

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
  return sandboxModes?.allowed.includes(demandedWidth(requirements, profile)) === false ? sandboxModes : undefined;
}

/** How wide a profile counts. Commands that can change what Capstan keeps decide about later runs, as without a sandbox. */
export function demandedWidth({ ownPlaces }: Requirements, profile: PermissionProfile): ProfileWidth {
  const isReopened = ownPlaces !== undefined && reopensOwnPlaces(profile, ownPlaces);
  return isReopened ? 'danger-full-access' : widthOf(profile);
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
export function modeInstead({ allowed: [first] }: Allowed<ProfileWidth>): SandboxMode {
  // That a sandbox stands around us is a fact, which no requirement can bring about.
  return first === 'external-sandbox' ? 'read-only' : first;
}
