import { type ListedFolder, listFolder, joinFolderPath, type WorkspaceDisk } from './workspace-disk.ts';
import { type IgnoreRules, isIgnored, withOwnIgnoreFile } from './ignore-rules.ts';
import type { TimeSlicer } from './yield-to-event-loop.ts';

export interface VisibleFiles {
  /** Without links in it. */
  readonly root: string;
  readonly disk: Pick<WorkspaceDisk, 'open'>;
  /** The rules in force in the root, without its own file. */
  readonly rules: IgnoreRules;
  excludes(path: string): boolean;
  readonly pace: TimeSlicer;
}

export interface VisibleEntry {
  /** Absolute. */
  readonly path: string;
  /** Below the root. */
  readonly inside: string;
  readonly kind: 'file' | 'folder';
  readonly size: number;
  readonly modifiedAt: number;
}

/** Larger trees are searched only up to this number. */
const mostEntries = 300_000;

/** Yields what git does not ignore, near ones first. Follows no links. Returns whether folders were left out. */
export async function* visibleFiles(search: VisibleFiles): AsyncGenerator<VisibleEntry, boolean> {
  let seen = 0;
  let level: readonly Folder[] = [{ at: search.root, inside: '', rules: search.rules }];
  while (level.length > 0 && seen < mostEntries) {
    const next: Folder[] = [];
    for (const folder of level) {
      // Read the folder completely first: the caller may never ask again, and the folder has to be closed.
      const found = await entriesIn(search, folder, mostEntries - seen);
      seen += found.seen;
      next.push(...found.folders);
      yield* found.entries;
    }
    level = next;
  }
  return seen >= mostEntries;
}

type Folder = { readonly at: string; readonly inside: string; readonly rules: IgnoreRules };

/** Unreadable folders are not searched. */
async function entriesIn(search: VisibleFiles, { at, inside, rules: above }: Folder, most: number) {
  const { disk, pace, excludes } = search;
  const found = { entries: [] as VisibleEntry[], folders: [] as Folder[], seen: 0 };
  let open: ListedFolder;
  try {
    open = listFolder(disk.open(at));
  } catch {
    return found;
  }
  const { folder, names } = open;
  try {
    const rules = withOwnIgnoreFile(above, at, open, search);
    for (const name of names.toSorted()) {
      if (pace.isDue(2)) await pace.rest();
      const path = joinFolderPath(at, name);
      if (name === '.git' || !name.isWellFormed() || excludes(path) || found.seen === most) continue;
      found.seen += 1;
      const sight = folder.look(name);
      if (sight?.kind !== 'file' && sight?.kind !== 'folder') continue;
      const { kind, size, modifiedAt } = sight;
      if (isIgnored(rules, path, kind === 'folder' ? 'folder' : 'other')) continue;
      const below = inside === '' ? name : `${inside}/${name}`;
      found.entries.push({ path, inside: below, kind, size, modifiedAt });
      if (kind === 'folder') found.folders.push({ at: path, inside: below, rules });
    }
    return found;
  } finally {
    folder.close();
  }
}
