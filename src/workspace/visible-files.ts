import type { WorkspaceDisk } from './disk.ts';
import { type IgnoreRules, isIgnored, mostIgnoreBytes, withIgnoreFile } from './ignore-rules.ts';
import type { Pace } from './pace.ts';

export interface VisibleFiles {
  /** Without links in it. */
  readonly root: string;
  readonly disk: Pick<WorkspaceDisk, 'list' | 'look' | 'read'>;
  /** Those that hold in the root, its own file not yet among them. */
  readonly rules: IgnoreRules;
  /** Places that no result shows. */
  excludes(path: string): boolean;
  readonly pace: Pace;
}

export interface VisibleEntry {
  /** Absolute. */
  readonly path: string;
  /** Below the root. */
  readonly inside: string;
  readonly kind: 'file' | 'folder';
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
}

/** Larger trees are looked at as far as this. */
const mostEntries = 300_000;

/**
 * Files and folders that git does not ignore, level by level, so that what is near is found also where not all is. Links
 * are not followed. Returns whether some folders were not looked into, because there are too many entries. Rejects with
 * `Stopped`.
 */
export async function* visibleFiles(search: VisibleFiles): AsyncGenerator<VisibleEntry, boolean> {
  const { root, disk, pace, excludes } = search;
  let seen = 0;
  let level: readonly Folder[] = [{ at: root, inside: '', rules: search.rules }];
  while (level.length > 0 && seen < mostEntries) {
    const next: Folder[] = [];
    for (const { at, inside, rules: above } of level) {
      const names = listed(disk, at);
      const rules = names.includes('.gitignore') ? withIgnoreFile(above, at, ignoreText(search, at)) : above;
      for (const name of names.toSorted()) {
        if (pace.isDue(2)) await pace.rest();
        const path = `${at}/${name}`;
        if (name === '.git' || !name.isWellFormed() || excludes(path) || ++seen > mostEntries) continue;
        const sight = disk.look(path);
        if (sight?.kind !== 'file' && sight?.kind !== 'folder') continue;
        const { kind, size, modifiedAt } = sight;
        if (isIgnored(rules, path, kind === 'folder' ? 'folder' : 'other')) continue;
        const below = inside === '' ? name : `${inside}/${name}`;
        yield { path, inside: below, kind, size, modifiedAt };
        if (kind === 'folder') next.push({ at: path, inside: below, rules });
      }
    }
    level = next;
  }
  return seen >= mostEntries;
}

interface Folder {
  readonly at: string;
  readonly inside: string;
  readonly rules: IgnoreRules;
}

/** What may not be read is not searched. */
function listed(disk: VisibleFiles['disk'], folder: string): readonly string[] {
  try {
    return disk.list(folder);
  } catch {
    return [];
  }
}

function ignoreText({ disk, excludes }: VisibleFiles, folder: string): string {
  const path = `${folder}/.gitignore`;
  try {
    return excludes(path) ? '' : new TextDecoder().decode(disk.read(path, mostIgnoreBytes));
  } catch {
    return '';
  }
}
