import type {
  Access,
  ApprovalPolicy,
  FileSystemRules,
  PathRule,
  PermissionProfile,
  ResolvedFiles,
  ResolvedPolicy,
} from '../../../protocol/permissions.ts';
import { asksNoMoreThan } from '../decide/approval-policy.ts';
import { isWithin, parentPath } from '../paths/absolute-paths.ts';
import { accessByRules, type AccessRule, accessRules } from '../paths/access.ts';
import { noOwnPlaces, type OwnPlaces, type Places } from '../paths/special-places.ts';
import { resolvePolicy } from './resolve-policy.ts';

/**
 * Of what is claimed and what is configured: the claim if it grants nothing that the configuration does not, else the
 * configuration. Never a mixture of both: a policy is one value that the user chose as a whole.
 */
export function narrowerProfile(
  configured: PermissionProfile,
  claimed: PermissionProfile,
  { landlock: _landlock, ...places }: Places,
): PermissionProfile {
  // As the usual sandbox would hold both: what Landlock closes or gives up here, it may not elsewhere. Also with every symbol somewhere else: what is the same here and now may be more in another folder.
  const isNarrower = [places, elsewhere(places)].every((where) =>
    grantsNoMore(resolvePolicy(claimed, where), resolvePolicy(configured, where)),
  );
  return isNarrower && hasSameGlobs(configured, claimed) ? claimed : configured;
}

/** The same question wherever a thread may be, as far as a profile alone answers it. */
export function grantsNoMoreThan(
  configured: PermissionProfile,
  claimed: PermissionProfile,
  own: OwnPlaces = noOwnPlaces,
): boolean {
  const where = elsewhere({ cwd: '/', workspaceRoots: [], slashTmp: true, gitDirectories: [], own });
  const isNarrower = grantsNoMore(resolvePolicy(claimed, where), resolvePolicy(configured, where));
  return isNarrower && hasSameGlobs(configured, claimed);
}

/**
 * The same for approval policies. A policy grants two things: commands that run inside the sandbox without a question
 * (`on-request`, `never`), and a question whose answer may let a command out of it (`untrusted`, `on-request`). So
 * `untrusted` and `never` are both narrower than `on-request`, and neither is narrower than the other. A granular policy is
 * an `on-request` with fewer questions.
 */
export function narrowerApproval(configured: ApprovalPolicy, claimed: ApprovalPolicy): ApprovalPolicy {
  if (configured === 'on-request') return claimed;
  if (typeof configured === 'string') return configured;
  if (typeof claimed === 'string') return claimed === 'never' ? claimed : configured;
  return asksNoMoreThan(claimed, configured) ? claimed : configured;
}

function elsewhere(places: Places): Places {
  const [cwd, temporaryDirectory] = ['/.capstan-elsewhere/workspace', '/.capstan-elsewhere/temporary'];
  return { ...places, cwd, workspaceRoots: [cwd], temporaryDirectory, slashTmp: true };
}

function grantsNoMore(claimed: ResolvedPolicy, configured: ResolvedPolicy): boolean {
  if (configured.enforcement === 'disabled') return true;
  if (claimed.network === 'enabled' && configured.network !== 'enabled') return false;
  if (!reachesNoMore(claimed, configured)) return false;
  // A user who counts on a sandbox around us, or on none, is not shut in by us.
  if (claimed.enforcement !== 'managed' && claimed.enforcement !== configured.enforcement) return false;
  return opensNoMore(claimed.files, configured.files);
}

/** Only the same lists are known to reach no more. */
function reachesNoMore(claimed: ResolvedPolicy, configured: ResolvedPolicy): boolean {
  const { sockets = [] } = configured;
  const isListed = configured.lists !== undefined && claimed.network === 'enabled';
  if (isListed && JSON.stringify(claimed.lists) !== JSON.stringify(configured.lists)) return false;
  const hasAllSockets = configured.network === 'enabled' && configured.lists === undefined;
  return hasAllSockets || (claimed.sockets ?? []).every((path) => sockets.includes(path));
}

function opensNoMore(claimed: ResolvedFiles, configured: ResolvedFiles): boolean {
  if (configured.kind === 'unrestricted') return true;
  if (claimed.kind === 'unrestricted') return false;
  // A glob may match anything: only the same one is known to deny as much.
  if (!configured.denyGlobs.every((glob) => claimed.denyGlobs.includes(glob))) return false;
  const [given, granted] = [accessRules(claimed), accessRules(configured)];
  // Between the paths of rules nothing changes.
  const paths = ['/', ...given.map(({ path }) => path), ...granted.map(({ path }) => path)];
  return (
    paths.every((path) => accessRank[accessByRules(given, path)] <= accessRank[accessByRules(granted, path)]) &&
    configured.rules.every((rule) => rule.ifMissing === 'skip' || keepsFromBeingMade(claimed.rules, given, rule))
  );
}

/** A path that must not come into being stays so: its folder is not writable, or the same rule guards it. */
function keepsFromBeingMade(rules: readonly PathRule[], all: readonly AccessRule[], { path }: PathRule): boolean {
  if (accessByRules(all, parentPath(path)) !== 'write') return true;
  return rules.some((rule) => rule.path === path && rule.access !== 'write' && rule.ifMissing === 'protect');
}

/** How deep globs are looked for may differ only where there are none to look for. */
function hasSameGlobs(configured: PermissionProfile, claimed: PermissionProfile): boolean {
  const [depth, other] = [configured, claimed].map(scanDepth);
  return depth === other || !JSON.stringify(configured).includes('glob_pattern');
}

function scanDepth(profile: PermissionProfile): number | undefined {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return undefined;
  return profile.file_system.glob_scan_max_depth;
}

const accessRank: Readonly<Record<Access, number>> = { deny: 0, read: 1, write: 2 };

const readAll: FileSystemRules = {
  type: 'restricted',
  entries: [{ path: { type: 'special', value: { kind: 'root' } }, access: 'read' }],
};

/** The same profile without a place to write: what it denies stays denied, and the network is as it was. */
export function readOnlyProfile(profile: PermissionProfile): Extract<PermissionProfile, { type: 'managed' }> {
  if (profile.type === 'disabled') return { type: 'managed', file_system: readAll, network: 'enabled' };
  if (profile.type === 'external') return { type: 'managed', file_system: readAll, network: profile.network };
  const { file_system: files } = profile;
  if (files.type !== 'restricted') return { ...profile, file_system: readAll };
  if (files.entries.every(({ access }) => access !== 'write')) return profile;
  const entries = files.entries.map((entry) =>
    entry.access === 'write' ? { ...entry, access: 'read' as const } : entry,
  );
  return { ...profile, file_system: { ...files, entries } };
}

/** Rules that keep these places from being written, where nothing else does and no rule names them. */
export function readOnlyRules(rules: readonly PathRule[], places: readonly string[]): readonly PathRule[] {
  const named = new Set(rules.map(({ path }) => path));
  return places
    .filter((path) => !named.has(path) && accessByRules(rules, path) === 'write')
    .map((path): PathRule => ({ path, access: 'read', ifMissing: 'skip' }));
}

/** The policy with such rules for folders beside a `.git`, in roots that keep repositories as they are. */
export function withReadOnlyBesideGit(policy: ResolvedPolicy, folders: readonly string[] = []): ResolvedPolicy {
  const { files } = policy;
  const keeping = files.kind === 'unrestricted' ? [] : files.rules.filter(({ keeps = [] }) => keeps.length > 0);
  return withReadOnlyPlaces(
    policy,
    folders.filter((folder) => keeping.some(({ path }) => isWithin(folder, path))),
  );
}

/** The policy with such rules in it. */
export function withReadOnlyPlaces(policy: ResolvedPolicy, places: readonly string[]): ResolvedPolicy {
  const { files } = policy;
  if (files.kind === 'unrestricted' || places.length === 0) return policy;
  return { ...policy, files: { ...files, rules: [...files.rules, ...readOnlyRules(files.rules, places)] } };
}
