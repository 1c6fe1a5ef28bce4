import { isWithin, joinPath, parentOf } from './paths.ts';
import type { PathSight } from './walk-path.ts';

/**
 * Which repository git would take in a folder. `protected`: the workspace's own, and commands can neither change its
 * settings nor put another in front of it. `own`: the workspace's. `other`: any other, or none.
 */
export type RepositoryKind = 'protected' | 'own' | 'other';

export interface RepositoryGround {
  look(path: string): PathSight;
  /** Whether commands may write the path now. */
  mayWrite(path: string): boolean;
  /** Folders in which commands may write, or once could. Absolute, without links. */
  readonly opened: readonly string[];
  /** Where the command runs, and where the thread works. Absolute, without links. */
  readonly cwd: string;
  readonly workspace: string;
  /** Where git reads the settings of the repository in a folder, without links: in `.git`, or where that file leads. */
  settingsOf(folder: string): readonly string[];
}

/** Settings of a repository may name programs, which git then runs. */
export function repositoryKind(ground: RepositoryGround): RepositoryKind {
  const { look, mayWrite, opened, cwd, workspace } = ground;
  const found = repositoryAbove(cwd, look);
  if (found === undefined || found !== repositoryAbove(workspace, look)) return 'other';
  const isOpen = (path: string): boolean => mayWrite(path) || opened.some((root) => isWithin(path, root));
  const between = foldersBetween(cwd, found);
  const isMadeElsewhere = opened.some((root) => root !== found && root !== '/' && isWithin(found, root));
  return hasKeptSettings(found, ground) && !isMadeElsewhere && !between.some(isOpen) ? 'protected' : 'own';
}

/** A `.git` that is a file leads to another place, which another thread may have opened. */
function hasKeptSettings(folder: string, { look, mayWrite, opened, settingsOf }: RepositoryGround): boolean {
  const own = joinPath(folder, '.git');
  const places = settingsOf(folder);
  if (look(own).kind === 'link' || mayWrite(own) || places.length === 0) return false;
  const isOutside = (place: string): boolean => isWithin(place, own) || !opened.some((root) => isWithin(place, root));
  return places.every((place) => !mayWrite(place) && isOutside(place));
}

/** The nearest folder with a repository of its own. Undefined: there is none, or it is a bare one. */
function repositoryAbove(folder: string, look: (path: string) => PathSight): string | undefined {
  for (let at = folder; ; at = parentOf(at)) {
    const kind = look(joinPath(at, '.git')).kind;
    // An empty folder is no repository, and git looks further up.
    const isRepository = kind === 'folder' ? isThere(look, `${at}/.git/HEAD`) : kind !== 'missing';
    if (isRepository) return at;
    if (['HEAD', 'objects', 'refs'].every((name) => isThere(look, joinPath(at, name))) || at === '/') return undefined;
  }
}

function isThere(look: (path: string) => PathSight, path: string): boolean {
  return look(path).kind !== 'missing';
}

/** From the first folder up, without the last. */
function foldersBetween(from: string, to: string): readonly string[] {
  const folders: string[] = [];
  for (let at = from; at !== to; at = parentOf(at)) folders.push(at);
  return folders;
}
