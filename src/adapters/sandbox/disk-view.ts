import { accessSync, constants, statSync } from 'node:fs';
import { diskPath, errorCode, lookAt, namesIn } from '../disk/file-system.ts';
import { normalisePath } from '../../core/policy/paths/absolute-paths.ts';
import { type Link, type PathSight, walkPath } from '../../core/policy/paths/walk-path.ts';

/** What a planner may ask about the disk. One view serves one plan, and answers the same question the same way. */
export interface DiskView {
  /** A file is anything that is neither folder nor link. */
  look(path: string): PathSight;
  /** Names in a folder; empty when it cannot be read. */
  list(folder: string): readonly string[];
  /** Whether a command that runs as this user could make something in the folder. */
  canCreateIn(folder: string): boolean;
}

/** The real disk, asked at most once per path. */
export function viewHostDisk(): DiskView {
  return { look: oncePerPath(lookAt), list: oncePerPath(namesIn), canCreateIn: oncePerPath(canCreateIn) };
}

/** The function, which is asked once for each path and remembers the answer. */
export function oncePerPath<Answer extends {}>(find: (path: string) => Answer): (path: string) => Answer {
  const known = new Map<string, Answer>();
  return (path) => {
    const answer = known.get(path) ?? find(path);
    known.set(path, answer);
    return answer;
  };
}

function canCreateIn(folder: string): boolean {
  try {
    const { uid, gid, mode } = statSync(diskPath(folder));
    const user = process.getuid?.() ?? -1;
    if (user !== 0) {
      // An owner without the right can give it to itself.
      if (uid !== user) accessSync(diskPath(folder), constants.W_OK);
      return uid !== user || isWritableFileSystem(folder);
    }
    // Root's powers end at the sandbox: inside, it owns what root owns and is a stranger to everything else.
    const allowed = uid === 0 || (gid === 0 && (mode & 0o020) !== 0) || (mode & 0o002) !== 0;
    return allowed && isWritableFileSystem(folder);
  } catch {
    return false;
  }
}

function isWritableFileSystem(folder: string): boolean {
  try {
    accessSync(diskPath(folder), constants.W_OK);
    return true;
  } catch (error) {
    return errorCode(error) !== 'EROFS';
  }
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

/** Walks the path as the kernel would, and says where it leads. */
export function followLinks(disk: DiskView, path: string): Followed {
  const { kind, at, sight, rest, links } = walkPath((place) => disk.look(place), path, { lastLink: 'followed' });
  if (kind === 'found') return { path: at, kind: sight.kind === 'folder' ? 'folder' : 'file', links };
  const spelled = normalisePath([at, ...rest].join('/')) as string;
  return { path: spelled, kind, ...(kind === 'missing' && { missing: at }), links };
}
