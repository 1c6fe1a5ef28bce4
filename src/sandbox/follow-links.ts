import { joinPath, normalisePath, parentOf } from '../policy/paths.ts';
import type { DiskView } from './disk-view.ts';

export interface Link {
  /** Where the link stands: a path without links in it. */
  readonly location: string;
  /** What is written in it. */
  readonly target: string;
}

export interface Followed {
  /** The path without links, as far as it exists, and the rest as it was spelled. */
  readonly path: string;
  /** `blocked`: a file stands where a folder would have to be. `loop`: the links lead nowhere. */
  readonly kind: 'folder' | 'file' | 'missing' | 'blocked' | 'loop';
  /** The first part that does not exist, when the kind is `missing`. */
  readonly missing?: string;
  /** Every link on the way, in the order in which they were followed. */
  readonly links: readonly Link[];
}

/** The kernel gives up after as many. */
const mostLinks = 40;

/** Walks the path as the kernel would, and tells where it leads. */
export function followLinks(disk: DiskView, path: string): Followed {
  const links: Link[] = [];
  let at = '/';
  let kind: 'folder' | 'file' = 'folder';
  let ahead = partsOf(path);
  while (ahead.length > 0) {
    const [name = '', ...rest] = ahead;
    ahead = rest;
    if (name === '..') {
      at = parentOf(at);
      continue;
    }
    const next = joinPath(at, name);
    const spelled = () => normalisePath([next, ...rest].join('/')) as string;
    const sight = disk.look(next);
    if (sight.kind === 'missing') return { path: spelled(), kind: 'missing', missing: next, links };
    if (sight.kind === 'link') {
      links.push({ location: next, target: sight.target });
      if (links.length > mostLinks) return { path: spelled(), kind: 'loop', links };
      if (sight.target.startsWith('/')) at = '/';
      ahead = [...partsOf(sight.target), ...rest];
    } else if (sight.kind === 'file' && rest.length > 0) {
      return { path: spelled(), kind: 'blocked', links };
    } else {
      at = next;
      kind = sight.kind;
    }
  }
  return { path: at, kind, links };
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
