import type {
  Access,
  FileSystemEntry,
  PathPattern,
  PermissionProfile,
  SandboxMode,
  SpecialPath,
} from '../../../protocol/permissions.ts';
import { workspaceGlobPrefix } from './resolve-policy.ts';
import { literalGlob } from '../paths/glob.ts';
import { joinInside, joinPath } from '../paths/absolute-paths.ts';
import { sharedProtectedNames } from '../paths/special-places.ts';
import { isValidEntry } from './profile-entries.ts';

/** A profile that was chosen by its name. */
export interface NamedProfile {
  readonly id: string;
  readonly profile: PermissionProfile;
}

export interface ProfileOptions {
  readonly network: boolean;
  /** Writable besides the workspace. Only `workspace-write` looks at them. */
  readonly writableRoots: readonly string[];
  readonly excludeTmpdir: boolean;
  readonly excludeSlashTmp: boolean;
  /** The roots were named by a project or a client: they reopen nothing of Capstan's own. */
  readonly keepsOwn?: true;
}

/** The built-in profile behind a sandbox mode, in the entries and the order that other programs write. */
export function builtInProfile(mode: SandboxMode, options: ProfileOptions): PermissionProfile {
  switch (mode) {
    case 'danger-full-access':
      return { type: 'disabled' };
    case 'read-only':
      return managed([special('read', { kind: 'root' })], options);
    case 'workspace-write': {
      const profile = managed(workspaceEntries(options), options);
      return options.keepsOwn === true ? withoutReopenedPlaces(profile) : profile;
    }
  }
}

/** The profile as a project or a client gives it: no entry reopens Capstan's own places. */
export function withoutReopenedPlaces(profile: PermissionProfile): PermissionProfile {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return profile;
  const entries = profile.file_system.entries.map((entry) => keepingEntry(entry));
  return { ...profile, file_system: { ...profile.file_system, entries } };
}

/** Symbols reopen nothing by themselves. */
function keepingEntry(entry: FileSystemEntry): FileSystemEntry {
  const isNamed = isValidEntry(entry) && entry.path.type === 'path' && entry.access !== 'deny';
  return isNamed ? { ...entry, capstan_keeps_own: true } : entry;
}

/** The profile with one entry per root, in their order, for every workspace symbol. Other symbols stay. */
export function expandWorkspaceSymbols(
  profile: PermissionProfile,
  workspaceRoots: readonly string[],
): PermissionProfile {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return profile;
  const entries = profile.file_system.entries.flatMap((entry) =>
    // An entry of unknown shape stays: resolving must meet it and fail closed.
    isValidEntry(entry) ? concrete(entry.path, workspaceRoots).map((path) => ({ ...entry, path })) : [entry],
  );
  return { ...profile, file_system: { ...profile.file_system, entries } };
}

/** The same for programs that know no lists of hosts: they are told of no network rather than of a whole one. */
export function sharedProfile(profile: PermissionProfile, workspaceRoots: readonly string[]): PermissionProfile {
  const filledIn = withoutMarks(expandWorkspaceSymbols(profile, workspaceRoots));
  if (filledIn.type !== 'managed' || filledIn.capstan_network === undefined) return filledIn;
  const { capstan_network: details, ...shared } = filledIn;
  return details.lists === undefined ? shared : { ...shared, network: 'restricted' };
}

/** Entries without what other programs do not know. */
function withoutMarks(profile: PermissionProfile): PermissionProfile {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return profile;
  const entries = profile.file_system.entries.map((entry) => {
    if (!isValidEntry(entry) || entry.capstan_keeps_own === undefined) return entry;
    const { capstan_keeps_own: _mark, ...shared } = entry;
    return shared;
  });
  return { ...profile, file_system: { ...profile.file_system, entries } };
}

/** The entries, and those about the workspace once more for each of the folders. The symbols stay: a turn may have others. */
export function withWorkspaceRoots(
  entries: readonly FileSystemEntry[],
  roots: readonly string[],
): readonly FileSystemEntry[] {
  const added = entries.flatMap((entry) => {
    const paths = isValidEntry(entry) ? concrete(entry.path, roots) : [];
    return paths.filter((path) => path !== entry.path).map((path) => ({ ...entry, path }));
  });
  return [...entries, ...added];
}

function managed(entries: readonly FileSystemEntry[], options: ProfileOptions): PermissionProfile {
  const network = options.network ? 'enabled' : 'restricted';
  return { type: 'managed', file_system: { type: 'restricted', entries }, network };
}

function workspaceEntries(options: ProfileOptions): readonly FileSystemEntry[] {
  return [
    special('read', { kind: 'root' }),
    special('write', { kind: 'project_roots' }),
    ...(options.excludeSlashTmp ? [] : [special('write', { kind: 'slash_tmp' })]),
    ...(options.excludeTmpdir ? [] : [special('write', { kind: 'tmpdir' })]),
    ...options.writableRoots.map((path): FileSystemEntry => ({ path: { type: 'path', path }, access: 'write' })),
    ...sharedProtectedNames.map((subpath) => guard({ type: 'special', value: { kind: 'project_roots', subpath } })),
    ...options.writableRoots.flatMap((root) =>
      sharedProtectedNames.map((name) => guard({ type: 'path', path: joinPath(root, name) })),
    ),
  ];
}

function special(access: Access, value: SpecialPath): FileSystemEntry {
  return { path: { type: 'special', value }, access };
}

function guard(path: PathPattern): FileSystemEntry {
  return { path, access: 'read', missing_path_behavior: 'skip' };
}

function concrete(pattern: PathPattern, roots: readonly string[]): readonly PathPattern[] {
  if (pattern.type === 'special' && pattern.value.kind === 'project_roots') {
    const { subpath } = pattern.value;
    const paths = roots.map((root) => (subpath === undefined ? root : joinInside(root, subpath)));
    // A subpath that climbs out stays as it is, so that resolving still finds it malformed.
    return paths.every((path) => path !== undefined) ? paths.map((path) => ({ type: 'path', path })) : [pattern];
  }
  if (pattern.type === 'glob_pattern' && pattern.pattern.startsWith(workspaceGlobPrefix)) {
    const rest = pattern.pattern.slice(workspaceGlobPrefix.length).replace(/^\/+/, '');
    return roots.map((root) => ({ type: 'glob_pattern', pattern: joinPath(literalGlob(root), rest) }));
  }
  return [pattern];
}
