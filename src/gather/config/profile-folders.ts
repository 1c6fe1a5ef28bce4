import { resolve } from 'node:path';
import type { ConfigLayer } from '../../config/config-layer.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { locate } from '../../config/permission-profiles.ts';
import { kindOfEntry } from '../../disk/file-system.ts';
import { expandHome } from '../../policy/tables/file-entries.ts';
import { wrongValue } from '../../policy/tables/table-problem.ts';
import { isJsonObject, type Json, type JsonObject, objectAt } from '../../protocol/json.ts';

/** Places that permission profiles take for folders, and that are files: what lies below them would never be found. */
export function fileProblems(
  permissions: Json,
  layers: readonly ConfigLayer[],
  { osHome, cwd }: { readonly osHome: string; readonly cwd: string },
): readonly ConfigProblem[] {
  const profiles = isJsonObject(permissions) ? Object.entries(permissions) : [];
  return profiles
    .flatMap(([id, table]) => (isJsonObject(table) ? namedFolders(table, ['permissions', id]) : []))
    .filter(({ name }) => kindOfEntry(resolve(cwd, expandHome(name, osHome) ?? '')) === 'file')
    .map(({ at }) => locate(layers, wrongValue(at, 'is a file, and a folder is needed here', 'Name a folder.')));
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
