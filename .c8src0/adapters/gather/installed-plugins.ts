import { join } from 'node:path';
import { kindOfEntry, listFolderNames, realPath } from '../disk/file-system.ts';
import { readTextIfPossible } from '../disk/regular-files.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { parseJsonObject, stringAt } from '../../protocol/json.ts';
import { withTrailingSeparator } from './files/project-folders.ts';
import { readLimits } from './files/read-guard.ts';

export interface InstalledPlugin {
  /** `name@marketplace`, as in the configuration. */
  readonly id: string;
  /** Prefix of its skills' names, before a colon. */
  readonly name: string;
  readonly skills?: string;
  /** Its links must not lead out of this folder. */
  readonly place: string;
}

const manifests = ['.codex-plugin/plugin.json', 'plugin.json', '.claude-plugin/plugin.json'];
const safeName = /^[\w][\w.-]{0,99}$/;

/** Configured plugins that are installed in the home. Runs nothing of them. */
export function findPlugins(home: string, configured: Readonly<Record<string, { readonly enabled?: boolean }>>) {
  return Object.entries(configured)
    .filter(([, { enabled }]) => enabled !== false)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id]) => installed(home, id) ?? []);
}

function installed(home: string, id: string): InstalledPlugin | undefined {
  const [folder = '', marketplace = '', ...more] = id.split('@');
  if (!safeName.test(folder) || !safeName.test(marketplace) || more.length > 0) return undefined;
  const versions = join(home, 'plugins/cache', marketplace, folder);
  const version = newest(listFolderNames(versions).filter((name) => safeName.test(name)));
  const place = version === undefined ? undefined : realPath(join(versions, version));
  // Otherwise a link could turn a project's folder into the user's own.
  if (place === undefined || !isWithin(place, realPath(home) ?? home)) return undefined;
  const manifest = manifests
    .values()
    .map((name) => readTextIfPossible(withTrailingSeparator(place) + name, { maxBytes: readLimits.configBytes }))
    .find((text) => text !== undefined);
  const about = manifest === undefined ? undefined : parseJsonObject(manifest);
  if (about === undefined) return undefined;
  const name = stringAt(about, 'name') ?? folder;
  if (!safeName.test(name)) return undefined;
  const skills = realPath(join(place, stringAt(about, 'skills') ?? 'skills'));
  const has = skills !== undefined && isWithin(skills, place) && kindOfEntry(skills) === 'folder';
  return { id, name, place, ...(has ? { skills } : {}) };
}

/** A local build wins over every release; among releases the highest numbers win. */
function newest(versions: readonly string[]): string | undefined {
  const numbers = (version: string): readonly number[] =>
    version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  const compare = (a: string, b: string): number => {
    const [left, right] = [numbers(a), numbers(b)];
    const at = left.findIndex((number, index) => number !== (right[index] ?? 0));
    return at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? 0);
  };
  return versions.includes('local') ? 'local' : versions.toSorted(compare).at(-1);
}
