import type { PathRule } from '../../../protocol/permissions.ts';
import { joinPath, parentPath, pathNames } from './absolute-paths.ts';

/** `location`: the link's own path, without links in it. */
export type FollowedLink = { readonly location: string; readonly target: string };

/** The kind of thing at a path; a link is not followed. */
export type PathInspection =
  | { readonly kind: 'folder' | 'missing' | 'file' | 'other' }
  | { readonly kind: 'link'; readonly target: string };

/** How far a path leads. All paths are without links. */
export interface PathWalk<Sight> {
  /** `missing`: `at` does not exist. `blocked`: `at` is no folder, but names follow. `loop`: links lead nowhere. */
  readonly kind: 'found' | 'missing' | 'blocked' | 'loop';
  readonly at: string;
  /** The thing at `at`. It is a link only if the caller means a link at the end itself. */
  readonly sight: Sight | { readonly kind: 'folder' };
  /** The names that were not reached. */
  readonly rest: readonly string[];
  /** True if the last examined name came from a link, not from the path. */
  readonly isInLink: boolean;
  readonly links: readonly FollowedLink[];
}

/** `followed`: follow a link at the very end, as for writing. `meant`: stop at the link itself, as for removing. */
export type PathWalkOptions = { readonly lastLink: 'followed' | 'meant' };
/** The kernel's limit. */
const mostLinks = 40;

export function walkPath<Sight extends PathInspection>(
  look: (path: string) => Sight,
  path: string,
  { lastLink }: PathWalkOptions,
): PathWalk<Sight> {
  const links: FollowedLink[] = [];
  let at = '/';
  let sight: PathWalk<Sight>['sight'] = { kind: 'folder' };
  let ahead = pathNames(path);
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

/** True if a grant's path now leads elsewhere: a new link's target was never granted. */
export const isMovedRoot = ({ access, place }: Pick<PathRule, 'access' | 'place'>, leadsTo: string): boolean =>
  access !== 'deny' && place !== undefined && place !== leadsTo;

export function describeMovedRoot(path: string) {
  const fate = 'was moved or replaced during the turn and now leads to another place';
  const message = `The writable folder ${JSON.stringify(path)} ${fate}.`;
  return { message, next: 'Move it back, or start the next turn in the right folder.' };
}

const mostCharacters = 300;

export function quotedPath(path: string): string {
  const half = mostCharacters / 2;
  return JSON.stringify(path.length > mostCharacters ? `${path.slice(0, half)}…${path.slice(-half)}` : path);
}
