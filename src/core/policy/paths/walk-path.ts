import type { PathRule } from '../../../protocol/permissions.ts';
import { joinPath, parentPath, pathNames } from './absolute-paths.ts';

export interface Link {
  /** Where the link stands: a path without links in it. */
  readonly location: string;
  /** What is written in it. */
  readonly target: string;
}

/** What a walk must know of what stands at a path, the path itself not followed when it is a link. */
export type PathSight =
  | { readonly kind: 'folder' | 'missing' | 'file' | 'other' }
  | { readonly kind: 'link'; readonly target: string };

/** How far a path leads. All paths are without links. */
export interface Walk<Sight> {
  /** `missing`: nothing stands at `at`. `blocked`: `at` is no folder, and names follow. `loop`: links lead nowhere. */
  readonly kind: 'found' | 'missing' | 'blocked' | 'loop';
  readonly at: string;
  /** What stands there. A link only when a link at the end is meant itself. */
  readonly sight: Sight | { readonly kind: 'folder' };
  /** The names that were not reached. */
  readonly rest: readonly string[];
  /** Whether the last name that was looked at stood in a link, and not in the path. */
  readonly isInLink: boolean;
  /** Every link on the way, in the order in which they were followed. */
  readonly links: readonly Link[];
}

export interface WalkOptions {
  /** Whether a link at the very end is followed, as by writing, or meant itself, as by removing. */
  readonly lastLink: 'followed' | 'meant';
}

/** The kernel gives up after as many. */
const mostLinks = 40;

/** Walks the path as the kernel would, with what a disk says about each step. */
export function walkPath<Sight extends PathSight>(
  look: (path: string) => Sight,
  path: string,
  { lastLink }: WalkOptions,
): Walk<Sight> {
  const links: Link[] = [];
  let at = '/';
  let sight: Walk<Sight>['sight'] = { kind: 'folder' };
  let ahead = pathNames(path);
  /** How many of the last names are the path's own; those before them were written in links. */
  let own = ahead.length;
  while (ahead.length > 0) {
    const [name = '', ...rest] = ahead;
    const isInLink = ahead.length > own;
    own = Math.min(own, rest.length);
    ahead = rest;
    if (name === '..') {
      at = parentPath(at);
      continue;
    }
    const next = joinPath(at, name);
    const seen: Sight = look(next);
    const stopped = { at: next, sight: seen, rest, isInLink, links };
    if (seen.kind === 'missing') return { kind: 'missing', ...stopped };
    if (seen.kind === 'link' && (rest.length > 0 || lastLink === 'followed')) {
      links.push({ location: next, target: seen.target });
      if (links.length > mostLinks) return { kind: 'loop', ...stopped };
      if (seen.target.startsWith('/')) at = '/';
      ahead = [...pathNames(seen.target), ...rest];
      sight = { kind: 'folder' };
    } else if (seen.kind !== 'folder' && rest.length > 0) {
      return { kind: 'blocked', ...stopped };
    } else {
      at = next;
      sight = seen;
    }
  }
  return { kind: 'found', at, sight, rest: [], isInLink: false, links };
}

/** Whether a grant leads elsewhere than when it was made: where a new link leads was never granted. */
export function isMovedRoot({ access, place }: Pick<PathRule, 'access' | 'place'>, leadsTo: string): boolean {
  return access !== 'deny' && place !== undefined && place !== leadsTo;
}

/** What the model reads about it. */
export function describeMovedRoot(path: string) {
  const fate = 'was moved or replaced during the turn and now leads to another place';
  const message = `The writable folder ${JSON.stringify(path)} ${fate}.`;
  return { message, next: 'Move it back, or start the next turn in the right folder.' };
}

const mostCharacters = 300;

/** A path for a message, of a long one the beginning and the end. */
export function quotedPath(path: string): string {
  const half = mostCharacters / 2;
  return JSON.stringify(path.length > mostCharacters ? `${path.slice(0, half)}…${path.slice(-half)}` : path);
}
