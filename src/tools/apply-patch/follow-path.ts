import { joinPath, normalisePath } from '../../policy/paths.ts';
import { walkPath, type WalkOptions } from '../../policy/walk-path.ts';
import type { PatchView, PatchSight } from '../../ports/patch-disk.ts';

/** Where a path leads to. */
export type FollowedPath =
  | {
      readonly kind: 'found';
      readonly place: string;
      /** A link only when a link at the end is meant itself. */
      readonly sight: PatchSight;
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
