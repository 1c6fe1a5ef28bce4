import type {
  FileAccess,
  FileSystemEntry,
  PathPattern,
  PermissionProfile,
  SandboxMode,
  SpecialPath,
} from '../../../protocol/permissions.ts';
import { workspaceGlobPrefix } from './resolve-policy.ts';
import { escapeGlob } from '../paths/glob.ts';
import { joinInside, joinPath } from '../paths/absolute-paths.ts';
import { sharedProtectedNames } from '../paths/special-places.ts';
import { isValidEntry, restrictedFileSystem } from './profile-entries.ts';

export type NamedProfile = { readonly id: string; readonly profile: PermissionProfile };

export interface ProfileOptions {
  readonly network: boolean;
  /** Writable besides the workspace. Used only by `workspace-write`. */
  readonly writableRoots: readonly string[];
  readonly excludeTmpdir: boolean;
  readonly excludeSlashTmp: boolean;
  /** A project or client named the roots: they reopen none of Capstan's own places. */
  readonly keepsOwn?: true;
}

/** The built-in profile of a sandbox mode, with the entries and order that other programs write. */
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

/** For a profile from a project or client: no entry reopens Capstan's own places. */
export function withoutReopenedPlaces(profile: PermissionProfile): PermissionProfile {
  return withEntries(profile, (entry) => {
    // Symbols reopen nothing by themselves.
    const isNamed = isValidEntry(entry) && entry.path.type === 'path' && entry.access !== 'deny';
    return [isNamed ? { ...entry, capstan_keeps_own: true } : entry];
  });
}

function withEntries(
  profile: PermissionProfile,
  change: (entry: FileSystemEntry) => readonly FileSystemEntry[],
): PermissionProfile {
  const files = restrictedFileSystem(profile);
  if (files === undefined || profile.type !== 'managed') return profile;
  return { ...profile, file_system: { ...files, entries: files.entries.flatMap(change) } };
}

/** Expands every workspace symbol to one entry per root, in their order. Other symbols stay. */
export function expandWorkspaceSymbols(
  profile: PermissionProfile,
  workspaceRoots: readonly string[],
): PermissionProfile {
  return withEntries(profile, (entry) =>
    // An entry of unknown shape stays: resolving must find it and fail closed.
    isValidEntry(entry) ? concrete(entry.path, workspaceRoots).map((path) => ({ ...entry, path })) : [entry],
  );
}

/** For programs that do not know host lists: they get no network rather than all of it. */
export function profileForOtherPrograms(
  profile: PermissionProfile,
  workspaceRoots: readonly string[],
): PermissionProfile {
  const filledIn = withoutMarks(expandWorkspaceSymbols(profile, workspaceRoots));
  if (filledIn.type !== 'managed' || filledIn.capstan_network === undefined) return filledIn;
  const { capstan_network: details, ...shared } = filledIn;
  return details.lists === undefined ? shared : { ...shared, network: 'restricted' };
}

function withoutMarks(profile: PermissionProfile): PermissionProfile {
  return withEntries(profile, (entry) => {
    if (!isValidEntry(entry) || entry.capstan_keeps_own === undefined) return [entry];
    const { capstan_keeps_own: _mark, ...shared } = entry;
    return [shared];
  });
}

/** Repeats the workspace entries for each of the folders. The symbols stay: a turn may have others. */
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

const special = (access: FileAccess, value: SpecialPath): FileSystemEntry => ({
  path: { type: 'special', value },
  access,
});
const guard = (path: PathPattern): FileSystemEntry => ({ path, access: 'read', missing_path_behavior: 'skip' });

function concrete(pattern: PathPattern, roots: readonly string[]): readonly PathPattern[] {
  if (pattern.type === 'special' && pattern.value.kind === 'project_roots') {
    const { subpath } = pattern.value;
    const paths = roots.map((root) => (subpath === undefined ? root : joinInside(root, subpath)));
    // A subpath that climbs out stays unchanged, so that resolving still finds it malformed.
    return paths.every((path) => path !== undefined) ? paths.map((path) => ({ type: 'path', path })) : [pattern];
  }
  if (pattern.type === 'glob_pattern' && pattern.pattern.startsWith(workspaceGlobPrefix)) {
    const rest = pattern.pattern.slice(workspaceGlobPrefix.length).replace(/^\/+/, '');
    return roots.map((root) => ({ type: 'glob_pattern', pattern: joinPath(escapeGlob(root), rest) }));
  }
  return [pattern];
}
