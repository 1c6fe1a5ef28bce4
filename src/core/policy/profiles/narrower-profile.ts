import type {
  FileAccess,
  ApprovalPolicy,
  FileSystemRules,
  PathRule,
  PermissionProfile,
  ResolvedFilePolicy,
  ResolvedPolicy,
} from '../../../protocol/permissions.ts';
import { asksNoMoreThan } from '../decide/approval-policy.ts';
import { isWithin, parentPath } from '../paths/absolute-paths.ts';
import { accessByRules, type AccessRule, accessRules } from '../paths/access.ts';
import { noOwnPlaces, type PermissionPlaces } from '../paths/special-places.ts';
import { restrictedFileSystem } from './profile-entries.ts';
import { resolvePolicy } from './resolve-policy.ts';

/**
 * The claim if it grants nothing beyond the configuration, else the configuration. Never a mixture: a policy is one
 * value that the user chose as a whole.
 */
export function narrowerProfile(configured: PermissionProfile, claimed: PermissionProfile, here: PermissionPlaces) {
  // Compare as the usual sandbox would enforce both, because Landlock's losses need not apply elsewhere; also with
  // every symbol elsewhere, because profiles that are equal here may differ in another folder.
  const { landlock: _landlock, ...places } = here;
  return isNarrowerIn([places, elsewhere(places)], configured, claimed) ? claimed : configured;
}

/** True if `claimed` grants no more in any folder of a thread, as far as the profiles alone tell. */
export function grantsNoMoreThan(configured: PermissionProfile, claimed: PermissionProfile, own = noOwnPlaces) {
  const where = elsewhere({ cwd: '/', workspaceRoots: [], slashTmp: true, gitDirectories: [], own });
  return isNarrowerIn([where], configured, claimed);
}

const isNarrowerIn = (all: readonly PermissionPlaces[], configured: PermissionProfile, claimed: PermissionProfile) =>
  all.every((where) => grantsNoMore(resolvePolicy(claimed, where), resolvePolicy(configured, where))) &&
  hasSameGlobs(configured, claimed);

/**
 * The narrower of two approval policies. Commands may run unasked in the sandbox (`on-request`, `never`), and a
 * question may let one out (`untrusted`, `on-request`): so `untrusted` and `never` are narrower than `on-request`, but
 * not than each other. A granular policy is an `on-request` with fewer questions.
 */
export function narrowerApproval(configured: ApprovalPolicy, claimed: ApprovalPolicy): ApprovalPolicy {
  if (configured === 'on-request') return claimed;
  if (typeof configured === 'string') return configured;
  if (typeof claimed === 'string') return claimed === 'never' ? claimed : configured;
  return asksNoMoreThan(claimed, configured) ? claimed : configured;
}

function elsewhere(places: PermissionPlaces): PermissionPlaces {
  const [cwd, temporaryDirectory] = ['/.capstan-elsewhere/workspace', '/.capstan-elsewhere/temporary'];
  return { ...places, cwd, workspaceRoots: [cwd], temporaryDirectory, slashTmp: true };
}

function grantsNoMore(claimed: ResolvedPolicy, configured: ResolvedPolicy): boolean {
  if (configured.enforcement === 'disabled') return true;
  if (claimed.network === 'enabled' && configured.network !== 'enabled') return false;
  if (!reachesNoMore(claimed, configured)) return false;
  // A user who relies on an outer sandbox, or on none, does not get ours.
  if (claimed.enforcement !== 'managed' && claimed.enforcement !== configured.enforcement) return false;
  return opensNoMore(claimed.files, configured.files);
}

/** Only equal lists are known to reach no more. */
function reachesNoMore(claimed: ResolvedPolicy, configured: ResolvedPolicy): boolean {
  const { sockets = [] } = configured;
  const isListed = configured.lists !== undefined && claimed.network === 'enabled';
  if (isListed && JSON.stringify(claimed.lists) !== JSON.stringify(configured.lists)) return false;
  const hasAllSockets = configured.network === 'enabled' && configured.lists === undefined;
  return hasAllSockets || (claimed.sockets ?? []).every((path) => sockets.includes(path));
}

function opensNoMore(claimed: ResolvedFilePolicy, configured: ResolvedFilePolicy): boolean {
  if (configured.kind === 'unrestricted') return true;
  if (claimed.kind === 'unrestricted') return false;
  // A glob may match anything: only an equal one is known to deny as much.
  if (!configured.denyGlobs.every((glob) => claimed.denyGlobs.includes(glob))) return false;
  const [given, granted] = [accessRules(claimed), accessRules(configured)];
  // Access only changes at the paths of rules.
  const paths = ['/', ...given.map(({ path }) => path), ...granted.map(({ path }) => path)];
  return (
    paths.every((path) => accessRank[accessByRules(given, path)] <= accessRank[accessByRules(granted, path)]) &&
    configured.rules.every((rule) => rule.ifMissing === 'skip' || keepsFromBeingMade(claimed.rules, given, rule))
  );
}

/** True if the path still cannot be created: its folder is not writable, or a rule for exactly this path guards it. */
function keepsFromBeingMade(rules: readonly PathRule[], all: readonly AccessRule[], { path }: PathRule): boolean {
  if (accessByRules(all, parentPath(path)) !== 'write') return true;
  return rules.some((rule) => rule.path === path && rule.access !== 'write' && rule.ifMissing === 'protect');
}

/** True if both profiles limit globs to the same depth, or if there are no globs. */
function hasSameGlobs(configured: PermissionProfile, claimed: PermissionProfile): boolean {
  const [depth, other] = [configured, claimed].map((profile) => restrictedFileSystem(profile)?.glob_scan_max_depth);
  return depth === other || !JSON.stringify(configured).includes('glob_pattern');
}

const accessRank: Readonly<Record<FileAccess, number>> = { deny: 0, read: 1, write: 2 };

const readAll: FileSystemRules = {
  type: 'restricted',
  entries: [{ path: { type: 'special', value: { kind: 'root' } }, access: 'read' }],
};

/** The profile without writable places: denies and network stay unchanged. */
export function readOnlyProfile(profile: PermissionProfile): Extract<PermissionProfile, { type: 'managed' }> {
  if (profile.type === 'disabled') return { type: 'managed', file_system: readAll, network: 'enabled' };
  if (profile.type === 'external') return { type: 'managed', file_system: readAll, network: profile.network };
  const { file_system: files } = profile;
  if (files.type !== 'restricted') return { ...profile, file_system: readAll };
  if (files.entries.every(({ access }) => access !== 'write')) return profile;
  const entries = files.entries.map((each) => (each.access === 'write' ? { ...each, access: 'read' as const } : each));
  return { ...profile, file_system: { ...files, entries } };
}

/** Rules that make these places read-only, unless they already are or a rule names them. */
export function readOnlyRules(rules: readonly PathRule[], places: readonly string[]): readonly PathRule[] {
  const named = new Set(rules.map(({ path }) => path));
  const open = places.filter((path) => !named.has(path) && accessByRules(rules, path) === 'write');
  return open.map((path): PathRule => ({ path, access: 'read', ifMissing: 'skip' }));
}

export function withReadOnlyBesideGit(policy: ResolvedPolicy, folders: readonly string[] = []): ResolvedPolicy {
  const { files } = policy;
  const keeping = files.kind === 'unrestricted' ? [] : files.rules.filter(({ keeps = [] }) => keeps.length > 0);
  const kept = folders.filter((folder) => keeping.some(({ path }) => isWithin(folder, path)));
  return withReadOnlyPlaces(policy, kept);
}

export function withReadOnlyPlaces(policy: ResolvedPolicy, places: readonly string[]): ResolvedPolicy {
  const { files } = policy;
  if (files.kind === 'unrestricted' || places.length === 0) return policy;
  return { ...policy, files: { ...files, rules: [...files.rules, ...readOnlyRules(files.rules, places)] } };
}
