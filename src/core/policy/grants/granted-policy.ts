import type { ExtraPermissions, PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { decideHost, readHostLists } from '../network/host-lists.ts';
import { splitHostAndPort } from '../network/host-name.ts';
import { isWithin, joinPath, normalisePath } from '../paths/absolute-paths.ts';
import { accessAt, isDenied, networkReach, type RestrictedFiles } from '../paths/access.ts';
import { protectedNamesAtAnyDepth, protectedNames } from '../paths/special-places.ts';
import { type Grant, type GrantedPermissions, permissionsOf, permissionsWith } from './grants.ts';

export type RunPlacement = { readonly where: 'sandbox' | 'outside'; readonly extra?: GrantedPermissions };

/**
 * The policy that a permitted call runs under: the turn's, that one extended, or none. Paths denied for reading stay
 * denied whatever was granted, even outside: such a call runs in a sandbox that denies just those.
 */
export function grantedPolicy(policy: ResolvedPolicy, { where, extra = {} }: RunPlacement): ResolvedPolicy {
  if (where === 'outside') return deniesReading(policy) ? withDeniesAlone(policy) : unlimited;
  const files = withPaths(policy, extra);
  const opened = extra.network === true ? withNetwork({ ...policy, files }) : { ...policy, files };
  const { lists } = opened;
  if (lists === undefined || extra.hosts === undefined) return opened;
  const granted = [...new Set([...(lists.granted ?? []), ...extra.hosts])];
  return { ...opened, lists: { ...lists, granted } };
}

/** Opens all hosts except denied ones: a grant opens nothing that was closed by name. */
function withNetwork(policy: ResolvedPolicy): ResolvedPolicy {
  const { enforcement, files, lists, landlock } = policy;
  if (lists === undefined) return { enforcement, files, network: 'enabled', landlock };
  return { ...policy, network: 'enabled', lists: { ...lists, allow: [...new Set([...lists.allow, '*'])] } };
}

const unlimited: ResolvedPolicy = { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };

/** True if unreadable paths were chosen. The engine's own places do not count, because every policy denies them. */
export function deniesReading({ files }: ResolvedPolicy): boolean {
  if (files.kind === 'unrestricted') return false;
  const isChosen = ({ path, access, own }: PathRule): boolean => access === 'deny' && path !== '/' && own !== true;
  return files.denyGlobs.length > 0 || files.rules.some(isChosen);
}

/** Only the paths that may not be read, with exceptions inside them. */
function withDeniesAlone(policy: ResolvedPolicy): ResolvedPolicy {
  if (policy.files.kind === 'unrestricted') return unlimited;
  const { rules, denyGlobs } = policy.files;
  const denied = rules.filter((rule) => rule.access === 'deny' && rule.path !== '/');
  const kept = rules.filter((rule) => rule.path !== '/' && denied.some(({ path }) => isWithin(rule.path, path)));
  const root: PathRule = { path: '/', access: 'write', ifMissing: 'skip' };
  const files: RestrictedFiles = { kind: 'restricted', rules: [root, ...kept], denyGlobs, platformDefaults: false };
  return { enforcement: 'managed', files, network: 'enabled', landlock: policy.landlock };
}

function withPaths(policy: ResolvedPolicy, { read = [], write = [] }: ExtraPermissions): ResolvedPolicy['files'] {
  const { files } = policy;
  if (files.kind === 'unrestricted') return files;
  const lacking = missingPermissions(policy, { read, write });
  const written = [...new Set([...(lacking.write ?? []), ...namedToOpen(write)])];
  const opened = [...openedPaths(policy, written), ...readRules(policy, lacking.read)];
  return opened.length === 0 ? files : { ...files, rules: [...files.rules, ...opened] };
}

/** Paths with a protected name need a rule: beside a `.git`, such a folder is read-only unless a rule names it. */
const namedToOpen = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => path.split('/').some((name) => protectedNames.includes(name)));

/**
 * Rules for the opened paths. Below them, paths that control later programs stay protected as usual, unless they are
 * granted too or Landlock enforces the policy. A path that leads elsewhere when used gets nothing.
 */
function openedPaths(policy: ResolvedPolicy, paths: readonly string[] = []): readonly PathRule[] {
  const granted = paths.filter((path) => !isNeverGranted(policy, path, 'write'));
  const isKeeping = policy.landlock === undefined;
  const names = isKeeping ? granted.flatMap((path) => protectedNames.map((name) => joinPath(path, name))) : [];
  const named = names.map((path) => ({ path, access: 'read', ifMissing: 'protect' }) as const);
  const isKept = ({ path }: PathRule): boolean =>
    !granted.includes(path) &&
    granted.some((root) => isWithin(path, root)) &&
    accessAt(policy, path) !== 'write' &&
    !isDenied(policy, path);
  return [
    ...granted.map((path): PathRule => {
      const rule = { path, access: 'write', ifMissing: 'skip', place: path } as const;
      return isKeeping ? { ...rule, keeps: protectedNamesAtAnyDepth } : rule;
    }),
    ...[...named, ...guardsOf(policy)].filter(isKept),
  ];
}

const guardsOf = ({ files }: ResolvedPolicy): readonly PathRule[] =>
  files.kind === 'unrestricted' ? [] : (files.guards ?? []);

/** True if no user's answer opens the path: a profile denies it, or it belongs to the engine and is to be written. */
export function isNeverGranted(policy: ResolvedPolicy, path: string, wanted: 'read' | 'write'): boolean {
  if (isDenied(policy, path)) return true;
  if (wanted === 'read' || accessAt(policy, path) === 'write') return false;
  return guardsOf(policy).some(({ path: place, own }) => own === true && isWithin(path, place));
}

export function firstNeverGranted(policy: ResolvedPolicy, { read, write }: ExtraPermissions): string | undefined {
  const firstOf = (paths: readonly string[] = [], wanted: 'read' | 'write') =>
    paths.find((path) => isNeverGranted(policy, path, wanted));
  return firstOf(read, 'read') ?? firstOf(write, 'write');
}

function readRules(policy: ResolvedPolicy, paths: readonly string[] = []): readonly PathRule[] {
  const granted = paths.filter((path) => !isDenied(policy, path));
  return granted.map((path) => ({ path, access: 'read', ifMissing: 'skip', place: path }));
}

/** Requested permissions that are not granted yet, paths in normal form. */
export function missingPermissions(policy: ResolvedPolicy, wanted: ExtraPermissions): ExtraPermissions {
  const lacks = (paths: readonly string[] = [], needed: 'read' | 'write') =>
    [...new Set(paths.map((path) => normalisePath(path) ?? path))].filter((path) => {
      const granted = accessAt(policy, path);
      return granted === 'deny' || (needed === 'write' && granted === 'read');
    });
  const write = lacks(wanted.write, 'write');
  const read = lacks(wanted.read, 'read').filter((path) => !write.includes(path));
  const spelled = Object.entries(wanted.spelled ?? {}).filter(([path]) => read.includes(path) || write.includes(path));
  const missing = permissionsWith(wanted.network === true && !hasWholeNetwork(policy), { read, write });
  return spelled.length === 0 ? missing : { ...missing, spelled: Object.fromEntries(spelled) };
}

/** Permissions that grants add to the policy: commands get these, and the model reads them. */
export function standingPermissions(policy: ResolvedPolicy, grants: readonly Grant[]): GrantedPermissions {
  const given = permissionsOf(grants);
  const { network, read = [], write = [] } = missingPermissions(policy, given);
  const open = (paths: readonly string[], wanted: 'read' | 'write') =>
    paths.filter((path) => !isNeverGranted(policy, path, wanted));
  const hosts = openedHosts(network === true ? withNetwork(policy) : policy, given);
  const written = [...new Set([...write, ...namedToOpen(given.write ?? [])])];
  return permissionsWith(network === true, { read: open(read, 'read'), write: open(written, 'write'), hosts });
}

/** Hosts that an answer still opens: the lists neither contain nor close them. */
function openedHosts(policy: ResolvedPolicy, { hosts = [] }: GrantedPermissions): readonly string[] {
  const { lists } = policy;
  if (hosts.length === 0 || lists === undefined || networkReach(policy) !== 'listed') return [];
  const listed = readHostLists(lists);
  return hosts.filter((text) => {
    const { host, port } = splitHostAndPort(text) ?? {};
    return host !== undefined && port !== undefined && decideHost(listed, { host, port }).kind === 'asked';
  });
}

export const isNoPermission = ({ network, read = [], write = [], hosts = [] }: GrantedPermissions): boolean =>
  network !== true && read.length + write.length + hosts.length === 0;

export function joinPermissions(a: GrantedPermissions, b: GrantedPermissions): GrantedPermissions {
  const both = (of: 'read' | 'write' | 'hosts') => [...new Set([...(a[of] ?? []), ...(b[of] ?? [])])];
  const isOpen = a.network === true || b.network === true;
  return permissionsWith(isOpen, { read: both('read'), write: both('write'), hosts: both('hosts') });
}

/** True if a network grant would open no further host. */
const hasWholeNetwork = ({ network, lists }: ResolvedPolicy): boolean =>
  network === 'enabled' && (lists === undefined || lists.allow.includes('*'));

/** `turn`: beyond those of the session. */
export type StandingGrants = { readonly session?: GrantedPermissions; readonly turn?: GrantedPermissions };
type GivenGrants = Readonly<Record<'session' | 'turn', readonly Grant[]>>;

/** The permissions that commands get, grouped for the text. Undefined: none. */
export function standingGrants(policy: ResolvedPolicy, { session, turn }: GivenGrants): StandingGrants | undefined {
  const lasting = standingPermissions(policy, session);
  const all = turn.length === 0 ? lasting : standingPermissions(policy, [...session, ...turn]);
  const passing = without(all, lasting);
  if (isNoPermission(all)) return undefined;
  return {
    ...(isNoPermission(lasting) ? {} : { session: lasting }),
    ...(isNoPermission(passing) ? {} : { turn: passing }),
  };
}

/** The policy to describe while the grants are valid: if they open the network, it is described as open. */
export function withGrantedNetwork(policy: ResolvedPolicy, granted: StandingGrants = {}): ResolvedPolicy {
  const network = granted.session?.network === true || granted.turn?.network === true;
  return network ? grantedPolicy(policy, { where: 'sandbox', extra: { network } }) : policy;
}

function without(all: GrantedPermissions, known: GrantedPermissions): GrantedPermissions {
  const rest = (of: 'read' | 'write' | 'hosts') => all[of]?.filter((each) => known[of]?.includes(each) !== true);
  const isOpened = all.network === true && known.network !== true;
  return permissionsWith(isOpened, { read: rest('read'), write: rest('write'), hosts: rest('hosts') });
}
