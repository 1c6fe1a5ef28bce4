import { normalisePath } from '../../policy/paths.ts';
import { type Link, walkPath } from '../../policy/walk-path.ts';
import type { DiskView } from './host-disk.ts';

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

/** Walks the path as the kernel would, and says where it leads. */
export function followLinks(disk: DiskView, path: string): Followed {
  const { kind, at, sight, rest, links } = walkPath((place) => disk.look(place), path, { lastLink: 'followed' });
  if (kind === 'found') return { path: at, kind: sight.kind === 'folder' ? 'folder' : 'file', links };
  const spelled = normalisePath([at, ...rest].join('/')) as string;
  return { path: spelled, kind, ...(kind === 'missing' && { missing: at }), links };
}
