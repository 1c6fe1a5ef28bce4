import type { WorkspaceDisk } from './disk.ts';
import { type IgnoreRules, isIgnored, mostIgnoreBytes, withIgnoreFile } from './ignore-rules.ts';
import type { Pace } from './pace.ts';
import { rankPath } from './rank-path.ts';

export interface FileSearch {
  /** Without links in it. */
  readonly root: string;
  readonly typed: string;
  /** How many are given at most. */
  readonly limit: number;
  readonly disk: Pick<WorkspaceDisk, 'list' | 'look' | 'read'>;
  /** Those that hold in the root, its own file not yet among them. */
  readonly rules: IgnoreRules;
  /** Places that no result shows. */
  excludes(path: string): boolean;
  readonly pace: Pace;
}

export interface FoundFile {
  /** Below the root. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly rank: number;
}

export interface FoundFiles {
  /** The best first. */
  readonly files: readonly FoundFile[];
  /** How many fit, those that are not given included. */
  readonly total: number;
  /** Some folders were not looked into: there are too many entries. */
  readonly isPartial: boolean;
}

/** Larger trees are looked at as far as this. */
const mostEntries = 300_000;

/** Looks at folders level by level, so that what is near is found also where not all is. Rejects with `Stopped`. */
export async function findFiles(search: FileSearch): Promise<FoundFiles> {
  const { root, disk, pace, excludes } = search;
  const best = new Best(search.limit);
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
        const kind = disk.look(path)?.kind;
        if (kind !== 'file' && kind !== 'folder') continue;
        if (isIgnored(rules, path, kind === 'folder' ? 'folder' : 'other')) continue;
        const below = inside === '' ? name : `${inside}/${name}`;
        const rank = rankPath(below, search.typed);
        if (rank !== undefined) best.add({ path: below, kind, rank });
        if (kind === 'folder') next.push({ at: path, inside: below, rules });
      }
    }
    level = next;
  }
  return { files: best.sorted(), total: best.total, isPartial: seen >= mostEntries };
}

interface Folder {
  readonly at: string;
  readonly inside: string;
  readonly rules: IgnoreRules;
}

/** What may not be read is not searched. */
function listed(disk: FileSearch['disk'], folder: string): readonly string[] {
  try {
    return disk.list(folder);
  } catch {
    return [];
  }
}

function ignoreText({ disk, excludes }: FileSearch, folder: string): string {
  const path = `${folder}/.gitignore`;
  try {
    return excludes(path) ? '' : new TextDecoder().decode(disk.read(path, mostIgnoreBytes));
  } catch {
    return '';
  }
}

/** The best of many: holds few at a time. */
class Best {
  readonly #limit: number;
  #kept: FoundFile[] = [];
  total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(file: FoundFile): void {
    this.total++;
    this.#kept.push(file);
    if (this.#kept.length >= 2 * this.#limit + 100) this.#kept = [...this.sorted()];
  }

  sorted(): readonly FoundFile[] {
    const order = (a: FoundFile, b: FoundFile): number => b.rank - a.rank || (a.path < b.path ? -1 : 1);
    return this.#kept.toSorted(order).slice(0, this.#limit);
  }
}
