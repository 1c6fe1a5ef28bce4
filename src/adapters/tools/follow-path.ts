import { joinPath, normalisePath, parentPath } from '../../core/policy/paths/absolute-paths.ts';
import { namesKeptAnywhere, protectedNames } from '../../core/policy/paths/special-places.ts';
import { type Walk, type WalkOptions, walkPath } from '../../core/policy/paths/walk-path.ts';
import type { PatchView, PlaceState } from '../../ports/files.ts';

/** Folders on the way to a path that stand, or would stand, beside a `.git` and decide what programs do there. */
export function protectedFoldersBesideGit(disk: DiskLook, path: string): readonly string[] {
  const kept: string[] = [];
  for (let place = path; place !== '/'; place = parentPath(place)) {
    if (isNamedSo(place) && namesKeptAnywhere.some((name) => isThere(disk, joinPath(parentPath(place), name)))) {
      kept.push(place);
    }
  }
  return kept;
}

function isNamedSo(path: string): boolean {
  return protectedNames.some((name) => !namesKeptAnywhere.includes(name) && path.endsWith(`/${name}`));
}

function isThere(disk: DiskLook, path: string): boolean {
  try {
    return disk.look(path).kind !== 'missing';
  } catch {
    return true;
  }
}

export type DiskLook = Pick<PatchView, 'look'>;

/** Where a path leads, its links followed. What is missing is appended as it is spelled. */
export function resolveLinks(disk: DiskLook, path: string): string {
  const walk = walkOn(disk, path);
  return walk === undefined ? path : walk.rest.reduce(joinPath, walk.at);
}

/** The nearest folder above a path that is missing. Undefined: something stands there. */
export function nearestExistingFolder(disk: DiskLook, path: string): string | undefined {
  const walk = walkOn(disk, path);
  return walk?.kind === 'missing' ? parentPath(walk.at) : undefined;
}

/** Undefined: the disk does not let us look. */
function walkOn(disk: DiskLook, path: string): Walk<PlaceState> | undefined {
  try {
    return walkPath((place) => disk.look(place), path, { lastLink: 'followed' });
  } catch {
    return undefined;
  }
}

/** Where a path leads to. */
export type FollowedPath =
  | {
      readonly kind: 'found';
      readonly place: string;
      /** A link only when a link at the end is meant itself. */
      readonly sight: PlaceState;
      /** The folders on the way that do not exist, outermost first. */
      readonly missingFolders: readonly string[];
      /** Where links stood that were followed. */
      readonly links: readonly string[];
    }
  /** A file stands where a folder would have to be, or links lead nowhere or in circles. */
  | { readonly kind: 'blocked'; readonly code: 'ENOENT' | 'ENOTDIR' | 'ELOOP' };

/** Linux takes no longer ones. */
const longestPath = 4096;

/** Where the path leads. What is missing is appended as it is spelled. */
export function followPath(disk: Pick<PatchView, 'look'>, path: string, options: WalkOptions): FollowedPath {
  const { kind, at, sight, rest, isInLink, links: passed } = walkPath((place) => disk.look(place), path, options);
  if (kind === 'loop') return { kind: 'blocked', code: 'ELOOP' };
  if (kind === 'blocked') return { kind: 'blocked', code: 'ENOTDIR' };
  // A folder is made where the path names it, never where a link would have it.
  if (isInLink && rest.length > 0) return { kind: 'blocked', code: 'ENOENT' };
  const below = rest.map((_, index) => rest.slice(0, index + 1).reduce(joinPath, at));
  const missingFolders = [at, ...below].slice(0, -1);
  return {
    kind: 'found',
    place: below.at(-1) ?? at,
    sight,
    missingFolders,
    links: passed.map(({ location }) => location),
  };
}

/** The path in normal form, from the folder when it is relative. A path that no disk can have is undefined. */
export function absolutePath(folder: string, path: string): string | undefined {
  if (path.length > longestPath || !path.isWellFormed()) return undefined;
  return normalisePath(path.startsWith('/') ? path : `${folder}/${path}`);
}
