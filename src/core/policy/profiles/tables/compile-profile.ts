import { defined } from '../../../../base/objects.ts';
import { isJsonObject, type JsonObject, objectAt } from '../../../../protocol/json.ts';
import type { PermissionProfile } from '../../../../protocol/permissions.ts';
import { normalisePath } from '../../paths/absolute-paths.ts';
import {
  builtInModes,
  isBuiltInId,
  profileTableWarning,
  unknownTableKey,
  wrongProfileType,
  wrongValueInProfile,
} from './profile-tables.ts';
import type { ProfileTables, ProfileTableProblem } from './profile-tables.ts';
import { builtInProfile, withWorkspaceRoots } from '../profiles.ts';
import { expandHome, fileEntries, createContradictionCheck, type TableBase } from './file-entries.ts';
import { inheritedTable } from './inherited-table.ts';
import { networkDetails } from './network-details.ts';

export interface ProfileCompileBase extends TableBase {
  /** Base of relative workspace roots. Absent: they are left out. */
  readonly cwd?: string;
}

const profileKeys = ['description', 'extends', 'workspace_roots', 'filesystem', 'network'];
const noOptions = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
export type CompiledProfile = { readonly profile: PermissionProfile } | { readonly problem: ProfileTableProblem };

export function compileProfile(tables: ProfileTables, id: string, base: ProfileCompileBase): CompiledProfile {
  const mode = Object.hasOwn(builtInModes, id) ? builtInModes[id] : undefined;
  if (mode !== undefined) return { profile: builtInProfile(mode, noOptions) };
  const inherited = inheritedTable(tables, id, base);
  if ('problem' in inherited) return inherited;
  const { table } = inherited;
  const files = fileEntries(objectAt(table, 'filesystem') ?? {}, [], base);
  const { network, details } = networkDetails(objectAt(table, 'network') ?? {}, [], base);
  const roots = workspaceRoots(objectAt(table, 'workspace_roots') ?? {}, base);
  const entries = withWorkspaceRoots(files.entries, roots);
  const file_system = { type: 'restricted', entries, ...defined({ glob_scan_max_depth: files.depth }) } as const;
  return { profile: { type: 'managed', file_system, network, ...defined({ capstan_network: details }) } };
}

export function profileTableProblems(given: JsonObject, base: ProfileCompileBase): readonly ProfileTableProblem[] {
  return Object.entries(given).flatMap(([id, table = null]) => {
    const at = ['permissions', id];
    if (isBuiltInId(id)) {
      const what = 'has a name that is reserved for built-in profiles';
      return [{ kind: 'reserved-name', path: at, what, next: 'Choose a name without ":".' } as const];
    }
    return isJsonObject(table) ? ownProblems(table, at, base) : [wrongProfileType(at, 'a table', table)];
  });
}

function ownProblems(
  table: JsonObject,
  at: readonly string[],
  base: ProfileCompileBase,
): readonly ProfileTableProblem[] {
  const problems = Object.entries(table).flatMap(([key, value = null]): readonly ProfileTableProblem[] => {
    const path = [...at, key];
    if (key === 'description' || key === 'extends')
      return typeof value === 'string' ? [] : [wrongProfileType(path, 'a string', value)];
    if (!profileKeys.includes(key)) return [unknownTableKey(path, profileKeys)];
    if (!isJsonObject(value)) return [wrongProfileType(path, 'a table', value)];
    if (key === 'workspace_roots') return rootProblems(value, path, base);
    return (key === 'filesystem' ? fileEntries : networkDetails)(value, path, base).problems;
  });
  const files = table['filesystem'];
  const isEmpty = files === undefined || (isJsonObject(files) && Object.keys(files).length === 0);
  const grantsNothing = table['extends'] === undefined && isEmpty;
  const what = 'has no entries under filesystem, so commands can read nothing';
  return grantsNothing
    ? [...problems, profileTableWarning(at, what, `Add entries, or extends = ":workspace".`)]
    : problems;
}

function rootProblems(
  roots: JsonObject,
  at: readonly string[],
  base: ProfileCompileBase,
): readonly ProfileTableProblem[] {
  const note = createContradictionCheck(at);
  return Object.entries(roots).flatMap(([root, isUsed = null]) => {
    const path = [...at, root];
    if (typeof isUsed !== 'boolean') return [wrongProfileType(path, 'true or false', isUsed)];
    const isPath = root !== '' && !root.includes('\0') && !/^~[^/]/.test(root) && expandHome(root, base.osHome);
    if (!isPath) return [wrongValueInProfile(path, 'is not a path', 'Write the path of a folder.')];
    return note(rootPath(root, base) ?? root, path, isUsed);
  });
}

function rootPath(root: string, { osHome, cwd }: ProfileCompileBase): string | undefined {
  const text = expandHome(root, osHome) ?? '';
  return normalisePath(text.startsWith('/') || cwd === undefined ? text : `${cwd}/${text}`);
}

function workspaceRoots(roots: JsonObject, base: ProfileCompileBase): readonly string[] {
  const paths = Object.entries(roots).flatMap(([root, isUsed]) => {
    if (isUsed !== true) return [];
    const path = rootPath(root, base);
    return path === undefined ? [] : [path];
  });
  return [...new Set(paths)];
}
