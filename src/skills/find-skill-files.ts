import { fileSystem } from '../disk/file-system.ts';
import { realPath } from '../disk/folders.ts';
import { type NamedEntry, trueEntries } from '../disk/true-entries.ts';
import type { SkillScope } from '../planes/select-skills.ts';
import { isWithin } from '../policy/paths.ts';

/** A folder in which skills are looked for. */
export interface SkillRoot {
  /** Absolute. */
  readonly path: string;
  readonly scope: SkillScope;
  /** What the names of its skills begin with. */
  readonly prefix?: string;
  /** Where its links may lead. Absent: anywhere, since the user made them. */
  readonly within?: string;
}

export interface FoundSkillFiles {
  /** The paths of SKILL.md files, in order. */
  readonly paths: readonly string[];
  /** Links that lead out of the project, and where to. */
  readonly outside: readonly { readonly path: string; readonly place: string }[];
  /** There are more folders than are looked at. */
  readonly isCutShort: boolean;
}

const deepest = 6;
const mostFolders = 2000;
const mostEntries = 20_000;

/** Looks through a root, nearest folders first. Reads no file. A folder is entered once, whatever links lead to it. */
export function findSkillFiles({ path: root, scope, within }: SkillRoot): FoundSkillFiles {
  const paths: string[] = [];
  const outside: { readonly path: string; readonly place: string }[] = [];
  const entered = new Set<string>();
  let entriesLeft = mostEntries;
  let level = [root];
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      const place = realPath(folder);
      if (place === undefined || entered.has(place)) continue;
      if (within !== undefined && !isWithin(place, within)) {
        outside.push({ path: folder, place });
        continue;
      }
      if (entered.size >= mostFolders || entriesLeft <= 0) return { paths, outside, isCutShort: true };
      entered.add(place);
      const entries = entriesOf(folder, entriesLeft);
      entriesLeft -= entries.length;
      for (const entry of entries) {
        const path = `${folder}/${entry.name}`;
        if (entry.name === 'SKILL.md') paths.push(path);
        // Bundled skills come without links.
        else if (!entry.name.startsWith('.') && isFolder(entry, path, { links: scope !== 'bundled' })) next.push(path);
      }
    }
    level = next;
  }
  return { paths, outside, isCutShort: false };
}

/** In order of their names; none where the folder cannot be read. */
function entriesOf(folder: string, most: number): readonly NamedEntry[] {
  try {
    return trueEntries(folder, most).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isFolder(entry: NamedEntry, path: string, { links }: { readonly links: boolean }): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return links && fileSystem.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
