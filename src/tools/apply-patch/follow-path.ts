import { joinPath, normalisePath, parentOf } from '../../policy/paths.ts';
import type { DiskView, Sight } from './disk.ts';

/** Where a path leads to. */
export type Followed =
  | {
      readonly kind: 'found';
      readonly place: string;
      /** A link only when a link at the end is meant itself. */
      readonly sight: Sight;
      /** The folders on the way that do not exist, outermost first. */
      readonly missingFolders: readonly string[];
      /** Where links stood that were followed. */
      readonly links: readonly string[];
    }
  /** A file stands where a folder would have to be, or links lead nowhere or in circles. */
  | { readonly kind: 'blocked'; readonly code: 'ENOENT' | 'ENOTDIR' | 'ELOOP' };

export interface FollowOptions {
  /** Whether a link at the very end is followed, as by writing, or meant itself, as by removing. */
  readonly lastLink: 'followed' | 'meant';
}

/** Linux takes no longer ones. */
const longestPath = 4096;

/** The kernel gives up after as many. */
const mostLinks = 40;

/** Walks the path as the kernel would. What is missing is appended as it is spelled. */
export function followPath(disk: Pick<DiskView, 'look'>, path: string, { lastLink }: FollowOptions): Followed {
  const links: string[] = [];
  const missingFolders: string[] = [];
  let at = '/';
  let sight: Sight = { kind: 'folder' };
  let ahead = partsOf(path, 'path');
  let reached: Part | undefined;
  while (ahead.length > 0) {
    if (sight.kind === 'missing') {
      // A folder is made where the path names it, never where a link would have it.
      if (reached?.from === 'link') return { kind: 'blocked', code: 'ENOENT' };
      missingFolders.push(at);
    } else if (sight.kind !== 'folder') return { kind: 'blocked', code: 'ENOTDIR' };
    const [next, ...rest]: readonly Part[] = ahead;
    reached = next;
    ahead = rest;
    if (reached?.name === '..') {
      at = parentOf(at);
      continue;
    }
    at = joinPath(at, reached?.name ?? '');
    sight = sight.kind === 'missing' ? sight : disk.look(at);
    if (sight.kind === 'link' && (rest.length > 0 || lastLink === 'followed')) {
      links.push(at);
      if (links.length > mostLinks) return { kind: 'blocked', code: 'ELOOP' };
      at = sight.target.startsWith('/') ? '/' : parentOf(at);
      ahead = [...partsOf(sight.target, 'link'), ...rest];
      sight = { kind: 'folder' };
    }
  }
  return { kind: 'found', place: at, sight, missingFolders, links };
}

interface Part {
  readonly name: string;
  readonly from: 'path' | 'link';
}

function partsOf(path: string, from: Part['from']): readonly Part[] {
  return path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((name) => ({ name, from }));
}

/** The path in normal form, from the folder when it is relative. A path that no disk can have is undefined. */
export function absolutePath(folder: string, path: string): string | undefined {
  if (path.length > longestPath || !path.isWellFormed()) return undefined;
  return normalisePath(path.startsWith('/') ? path : `${folder}/${path}`);
}
