import { dirname, resolve } from 'node:path';
import type { ConfigLayer, ConfigProblem } from '../../../core/config/layer-order.ts';
import { locateProblem } from '../../../core/config/permission-profiles.ts';
import { kindOfEntry } from '../../disk/file-system.ts';
import { expandHome } from '../../../core/policy/profiles/tables/file-entries.ts';
import { wrongValueInProfile } from '../../../core/policy/profiles/tables/profile-tables.ts';
import { isJsonObject, type Json, type JsonObject, objectAt } from '../../../protocol/json.ts';

/** Paths that profiles treat as folders but that are files: rules for anything below them would never apply. */
export function profilePathProblems(
  permissions: Json,
  layers: readonly ConfigLayer[],
  { osHome, cwd }: { readonly osHome: string; readonly cwd: string },
): readonly ConfigProblem[] {
  const profiles = isJsonObject(permissions) ? Object.entries(permissions) : [];
  const tables = profiles.flatMap(([id, table]) => (isJsonObject(table) ? [{ table, at: ['permissions', id] }] : []));
  const pathOf = (name: string): string => resolve(cwd, expandHome(name, osHome) ?? '');
  const files = tables
    .flatMap(({ table, at }) => namedFolders(table, at))
    .filter(({ name }) => kindOfEntry(pathOf(name)) === 'file');
  const known = new Set(files.map(({ name }) => pathOf(name)));
  const folders = files.map(({ at }) =>
    wrongValueInProfile(at, 'is a file, and a folder is needed here', 'Name a folder.'),
  );
  const below = tables
    .flatMap(({ table, at }) => grantedPaths(objectAt(table, 'filesystem') ?? {}, [...at, 'filesystem']))
    .flatMap(({ name, at }) => {
      const file = fileAbove(pathOf(name));
      return file === undefined || known.has(file)
        ? []
        : [
            wrongValueInProfile(
              at,
              `cannot exist: ${file} is a file, not a folder`,
              'Name the file itself, or another path.',
            ),
          ];
    });
  return [...folders, ...below].map((problem) => locateProblem(layers, problem));
}

/** Paths that profiles open, including those below the workspace. Denied paths may be meant for other machines. */
function grantedPaths(files: JsonObject, at: readonly string[]) {
  const isGranted = (access: Json | undefined): boolean => access === 'read' || access === 'write';
  const isPath = (name: string): boolean => !/[*?[\]]/.test(name);
  return Object.entries(files)
    .flatMap(([place, value]) => {
      const isWorkspace = place === ':workspace_roots' || place === ':project_roots';
      if (place.startsWith(':') && !isWorkspace) return [];
      if (!isJsonObject(value)) return !isWorkspace && isGranted(value) ? [{ name: place, at: [...at, place] }] : [];
      return Object.entries(value).flatMap(([name, access]) =>
        isGranted(access) ? [{ name: isWorkspace ? name : `${place}/${name}`, at: [...at, place, name] }] : [],
      );
    })
    .filter(({ name }) => isPath(name));
}

function fileAbove(path: string): string | undefined {
  for (let above = dirname(path); above !== '/'; above = dirname(above)) {
    const kind = kindOfEntry(above);
    if (kind === 'folder') return undefined;
    if (kind !== 'missing') return above;
  }
  return undefined;
}

function namedFolders(table: JsonObject, at: readonly string[]) {
  const roots = Object.entries(objectAt(table, 'workspace_roots') ?? {});
  const files = Object.entries(objectAt(table, 'filesystem') ?? {});
  return [
    ...roots.filter(([, isUsed]) => isUsed === true).map(([name]) => ({ name, at: [...at, 'workspace_roots', name] })),
    ...files
      .filter(([name, value]) => !name.startsWith(':') && (name.endsWith('/**') || isJsonObject(value)))
      .map(([name]) => ({ name: name.replace(/\/\*\*$/, ''), at: [...at, 'filesystem', name] })),
  ];
}
