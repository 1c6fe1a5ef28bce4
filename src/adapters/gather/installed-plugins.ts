import { join } from 'node:path';
import { kindOfEntry, namesIn, realPath } from '../disk/file-system.ts';
import { readTextIfPossible } from '../disk/regular-files.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { parseJsonObject, stringAt } from '../../protocol/json.ts';
import { withTrailingSeparator } from './files/project-folders.ts';
import { readLimits } from './files/read-guard.ts';

/** A plugin that the user installed and did not turn off. */
export interface InstalledPlugin {
  /** `name@marketplace`, as the configuration has it. */
  readonly id: string;
  /** What the names of its skills begin with, before a colon. */
  readonly name: string;
  /** The folder with its skills, if it has one. */
  readonly skills?: string;
  /** Where its links may lead: its own folder. */
  readonly place: string;
}

/** In order of preference. */
const manifests = ['.codex-plugin/plugin.json', 'plugin.json', '.claude-plugin/plugin.json'];
const safeName = /^[\w][\w.-]{0,99}$/;

/** The plugins that the configuration names, as far as they are installed in the home. Nothing of them runs. */
export function findPlugins(
  home: string,
  configured: Readonly<Record<string, { readonly enabled?: boolean }>>,
): readonly InstalledPlugin[] {
  return Object.entries(configured)
    .filter(([, { enabled }]) => enabled !== false)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id]) => installed(home, id) ?? []);
}

function installed(home: string, id: string): InstalledPlugin | undefined {
  const [folder = '', marketplace = '', ...more] = id.split('@');
  if (!safeName.test(folder) || !safeName.test(marketplace) || more.length > 0) return undefined;
  const versions = join(home, 'plugins/cache', marketplace, folder);
  const version = newest(namesIn(versions).filter((name) => safeName.test(name)));
  const place = version === undefined ? undefined : realPath(join(versions, version));
  // A link could make a folder of a project the user's own.
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

/** A local build comes before every release, and of two releases the one with the higher numbers. */
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
