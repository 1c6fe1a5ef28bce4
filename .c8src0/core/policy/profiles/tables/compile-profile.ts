import { defined } from '../../../../base/objects.ts';
import { isJsonObject, type JsonObject, objectAt } from '../../../../protocol/json.ts';
import type { PermissionProfile } from '../../../../protocol/permissions.ts';
import { normalisePath } from '../../paths/absolute-paths.ts';
import { builtInModes, isBuiltInId, tableWarning, unknownTableKey, wrongType, wrongValue } from './profile-tables.ts';
import type { ProfileTables, TableProblem } from './profile-tables.ts';
import { builtInProfile, withWorkspaceRoots } from '../profiles.ts';
import { expandHome, fileEntries, createContradictionCheck, type TableBase } from './file-entries.ts';
import { inheritedTable } from './inherited-table.ts';
import { networkDetails } from './network-details.ts';

export interface CompileBase extends TableBase {
  /** Base of relative workspace roots. Absent: they are left out. */
  readonly cwd?: string;
}

const profileKeys = ['description', 'extends', 'workspace_roots', 'filesystem', 'network'];
const noOptions = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
export type CompiledProfile = { readonly profile: PermissionProfile } | { readonly problem: TableProblem };

export function compileProfile(tables: ProfileTables, id: string, base: CompileBase): CompiledProfile {
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

export function tableProblems(given: JsonObject, base: CompileBase): readonly TableProblem[] {
  return Object.entries(given).flatMap(([id, table = null]) => {
    const at = ['permissions', id];
    if (isBuiltInId(id)) {
      const what = 'has a name that is reserved for built-in profiles';
      return [{ kind: 'reserved-name', path: at, what, next: 'Choose a name without ":".' } as const];
    }
    return isJsonObject(table) ? ownProblems(table, at, base) : [wrongType(at, 'a table', table)];
  });
}

function ownProblems(table: JsonObject, at: readonly string[], base: CompileBase): readonly TableProblem[] {
  const problems = Object.entries(table).flatMap(([key, value = null]): readonly TableProblem[] => {
    const path = [...at, key];
    if (key === 'description' || key === 'extends')
      return typeof value === 'string' ? [] : [wrongType(path, 'a string', value)];
    if (!profileKeys.includes(key)) return [unknownTableKey(path, profileKeys)];
    if (!isJsonObject(value)) return [wrongType(path, 'a table', value)];
    if (key === 'workspace_roots') return rootProblems(value, path, base);
    return (key === 'filesystem' ? fileEntries : networkDetails)(value, path, base).problems;
  });
  const files = table['filesystem'];
  const isEmpty = files === undefined || (isJsonObject(files) && Object.keys(files).length === 0);
  const grantsNothing = table['extends'] === undefined && isEmpty;
  const what = 'has no entries under filesystem, so commands can read nothing';
  return grantsNothing ? [...problems, tableWarning(at, what, `Add entries, or extends = ":workspace".`)] : problems;
}

function rootProblems(roots: JsonObject, at: readonly string[], base: CompileBase): readonly TableProblem[] {
  const note = createContradictionCheck(at);
  return Object.entries(roots).flatMap(([root, isUsed = null]) => {
    const path = [...at, root];
    if (typeof isUsed !== 'boolean') return [wrongType(path, 'true or false', isUsed)];
    const isPath = root !== '' && !root.includes('\0') && !/^~[^/]/.test(root) && expandHome(root, base.osHome);
    if (!isPath) return [wrongValue(path, 'is not a path', 'Write the path of a folder.')];
    return note(rootPath(root, base) ?? root, path, isUsed);
  });
}

function rootPath(root: string, { osHome, cwd }: CompileBase): string | undefined {
  const text = expandHome(root, osHome) ?? '';
  return normalisePath(text.startsWith('/') || cwd === undefined ? text : `${cwd}/${text}`);
}

function workspaceRoots(roots: JsonObject, base: CompileBase): readonly string[] {
  const paths = Object.entries(roots).flatMap(([root, isUsed]) => {
    if (isUsed !== true) return [];
    const path = rootPath(root, base);
    return path === undefined ? [] : [path];
  });
  return [...new Set(paths)];
}
