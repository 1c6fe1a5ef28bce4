import { valueOr } from '../../base/objects.ts';
import { joinPath, normalisePath, parentPath } from '../../core/policy/paths/absolute-paths.ts';
import { protectedNamesAtAnyDepth, protectedNames } from '../../core/policy/paths/special-places.ts';
import { type PathWalk, type PathWalkOptions, walkPath } from '../../core/policy/paths/walk-path.ts';
import type { PatchFileReader, PathState } from '../../ports/files.ts';

/** The folders on a path that would control what programs do in the repository of a `.git` beside them. */
export function protectedFoldersBesideGit(disk: PathLookup, path: string): readonly string[] {
  const kept: string[] = [];
  for (let place = path; place !== '/'; place = parentPath(place)) {
    if (isNamedSo(place) && protectedNamesAtAnyDepth.some((name) => isThere(disk, joinPath(parentPath(place), name))))
      kept.push(place);
  }
  return kept;
}

function isNamedSo(path: string): boolean {
  return protectedNames.some((name) => !protectedNamesAtAnyDepth.includes(name) && path.endsWith(`/${name}`));
}

function isThere(disk: PathLookup, path: string): boolean {
  return valueOr(true, () => disk.look(path).kind !== 'missing');
}

export type PathLookup = Pick<PatchFileReader, 'look'>;

/** The target of a path with its links followed. Missing parts are appended as spelled. */
export function resolveLinks(disk: PathLookup, path: string): string {
  const walk = walkOn(disk, path);
  return walk === undefined ? path : walk.rest.reduce(joinPath, walk.at);
}

/** The nearest existing folder above a missing path. Undefined: the path exists. */
export function nearestExistingFolder(disk: PathLookup, path: string): string | undefined {
  const walk = walkOn(disk, path);
  return walk?.kind === 'missing' ? parentPath(walk.at) : undefined;
}

/** Undefined if looking at the disk fails, for example for lack of permission. */
function walkOn(disk: PathLookup, path: string): PathWalk<PathState> | undefined {
  return valueOr(undefined, () => walkPath((place) => disk.look(place), path, { lastLink: 'followed' }));
}

export type FollowedPath =
  | {
      readonly kind: 'found';
      readonly place: string;
      /** A link only when the final link itself is meant. */
      readonly sight: PathState;
      readonly missingFolders: readonly string[];
      readonly links: readonly string[];
    }
  /** A file where a folder is needed, or links that are broken or circular. */
  | { readonly kind: 'blocked'; readonly code: 'ENOENT' | 'ENOTDIR' | 'ELOOP' };

/** Limit of Linux. */
const longestPath = 4096;

export function followPath(disk: Pick<PatchFileReader, 'look'>, path: string, options: PathWalkOptions): FollowedPath {
  const { kind, at, sight, rest, isInLink, links: passed } = walkPath((place) => disk.look(place), path, options);
  if (kind === 'loop') return { kind: 'blocked', code: 'ELOOP' };
  if (kind === 'blocked') return { kind: 'blocked', code: 'ENOTDIR' };
  // A folder is created only where the path names it, never through a link.
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

/** The normalised path; a relative one begins at the folder. Undefined for a path that no disk can have. */
export function absolutePath(folder: string, path: string): string | undefined {
  if (path.length > longestPath || !path.isWellFormed()) return undefined;
  return normalisePath(path.startsWith('/') ? path : `${folder}/${path}`);
}
