import { valueOr } from '../../base/objects.ts';
import {
  toNodePath,
  errorCode,
  fileSystem as fs,
  isMissing,
  inspectEntry,
  realPath,
} from '../../adapters/disk/file-system.ts';
import {
  assertNotMoved,
  FolderHandle,
  isPathTooLong,
  readEntries,
  withExactNames,
} from '../../adapters/disk/folder-access.ts';
import type { NamedEntry } from '../../adapters/disk/folder-access.ts';
import { findGitDirectory } from '../../adapters/gather/git/repository.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { isBareRepository, protectedNames } from '../../core/policy/paths/special-places.ts';
import type { FoundRepositories, RepositorySearch } from '../../ports/workspace.ts';
import type { TimeSlicer } from './yield-to-event-loop.ts';

interface FoundGit extends FoundRepositories {
  /** `.git` folders and files, the targets of those files, and the protected names beside them. */
  readonly paths: readonly string[];
  readonly missing: readonly string[];
}

type FindGitLimits = { readonly pace: TimeSlicer; readonly mostEntries: number; isLate(): boolean };

/** Finds git folders below the roots: from a snapshot, and by walking what it did not enter. Follows no link. */
export async function findGitFolders(
  { roots, seen, denies }: RepositorySearch,
  limits: FindGitLimits,
): Promise<FoundGit> {
  const known = seen?.git.folders.map((path) => under(seen.root, path)) ?? [];
  const folders = new Set(known.filter((folder) => !isPathTooLong(folder)));
  const bare = new Set(seen?.git.bare.map((path) => under(seen.root, path)));
  const starts = roots.flatMap((root) =>
    seen?.root === root ? seen.git.notEntered.map((path) => under(root, path)) : [root],
  );
  const placeOf = placesBelow(roots);
  const unseen: string[] = known.filter(isPathTooLong);
  let entries = 0;
  for (const start of starts) {
    const pending = [start];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      if (limits.pace.isDue(1)) await limits.pace.rest();
      if (entries > limits.mostEntries || limits.isLate()) {
        unseen.push(start);
        break;
      }
      const found = list(folder, placeOf(folder), limits.mostEntries - entries + 1);
      if (found === undefined) {
        unseen.push(folder);
        continue;
      }
      entries += found.length;
      const names = found.map(({ name }) => name);
      if (names.includes('.git')) folders.add(folder);
      // It may only look like a repository, so continue below it.
      if (isBareRepository((name) => names.includes(name)) && isTaken(placeOf(folder))) bare.add(folder);
      for (const entry of found) {
        const path = `${folder === '/' ? '' : folder}/${entry.name}`;
        if (entry.isDirectory() && entry.name !== '.git' && !denies(path)) pending.push(path);
      }
    }
  }
  if (entries > limits.mostEntries && unseen.length === 0) unseen.push(...starts.slice(-1));
  const own = [...folders].filter((folder) => holdsSomething(`${placeOf(folder)}/.git`));
  const beside = own.flatMap((folder) => besideGit.map((name) => `${folder === '/' ? '' : folder}/${name}`));
  const [there, missing] = [beside.filter(isThere), beside.filter((path) => !isThere(path))];
  const paths = new Set([...folders].flatMap((folder) => [`${folder}/.git`, ...pointedTo(folder)]));
  const repositories = [...own, ...[...bare].filter((folder) => isTaken(placeOf(folder)))];
  return {
    paths: [...paths, ...there],
    missing,
    repositories,
    settings: there.filter((path) => holdsSomething(placeOf(path))),
    unseen,
  };
}

/** Resolves paths below the roots: a root may be spelled through links, but not what is below it. */
function placesBelow(roots: readonly string[]): (path: string) => string {
  const linked = roots
    .map((root) => ({ root, place: realPath(root) ?? root }))
    .filter(({ root, place }) => root !== place);
  return (path) => {
    const found = linked.find(({ root }) => isWithin(path, root));
    return found === undefined ? path : `${found.place}${path.slice(found.root.length)}`;
  };
}

const besideGit = protectedNames.filter((name) => name !== '.git');

function isThere(path: string): boolean {
  return valueOr(true, () => fs.lstatSync(toNodePath(path), { throwIfNoEntry: false }) !== undefined);
}

/** False for a missing or empty folder: sandboxes leave such mount points briefly; git takes none for a repository. */
function holdsSomething(path: string): boolean {
  try {
    if (!fs.lstatSync(toNodePath(path)).isDirectory()) return true;
    return entriesIn(path, 1).length > 0;
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}

/** For a folder with the names of a bare repository: true if git accepts it, because none of them is a mount point. */
function isTaken(folder: string): boolean {
  const common = `${folder}/commondir`;
  return holdsSomething(`${folder}/HEAD`) && (!isThere(common) || holdsSomething(common));
}

const under = (root: string, path: string): string => (path === '' ? root : `${root}/${path}`);

/** Reads at most this many names: there may be millions. Uses a `FolderHandle`: a link may replace the folder. */
function entriesIn(folder: string, most: number): readonly NamedEntry[] {
  const door = new FolderHandle(folder);
  try {
    const entries = withExactNames(readEntries(door.place, most), door.place, most);
    if (!door.isDoor) assertNotMoved(folder);
    return entries;
  } finally {
    door.close();
  }
}

/** Undefined if it cannot be listed. Programs may still enter what is in it by name. */
function list(folder: string, place: string, most: number): readonly NamedEntry[] | undefined {
  if (isPathTooLong(folder)) return undefined;
  try {
    return entriesIn(place, most);
  } catch (error) {
    // A folder that is gone counts as empty, unless a link has replaced it.
    return isMissing(error) && inspectEntry(place).kind !== 'link' ? [] : undefined;
  }
}

/** The target of a git file has the hooks and the configuration. */
function pointedTo(folder: string): readonly string[] {
  const directory = findGitDirectory(folder);
  return directory?.isPointedTo === true ? [directory.path, directory.common] : [];
}
