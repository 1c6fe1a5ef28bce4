import { accessSync, constants, statSync } from 'node:fs';
import { toNodePath, errorCode, inspectEntry, listFolderNames } from '../disk/file-system.ts';
import { normalisePath } from '../../core/policy/paths/absolute-paths.ts';
import { type FollowedLink, type PathInspection, walkPath } from '../../core/policy/paths/walk-path.ts';

/** Disk queries for a planner. One view serves one plan and gives consistent answers. */
export interface DiskView {
  /** A file is anything that is neither folder nor link. */
  look(path: string): PathInspection;
  /** Empty when the folder cannot be read. */
  list(folder: string): readonly string[];
  /** True if a command of this user could create something in the folder. */
  canCreateIn(folder: string): boolean;
}

/** The real disk; each path is read at most once. */
export function viewHostDisk(): DiskView {
  return { look: oncePerPath(inspectEntry), list: oncePerPath(listFolderNames), canCreateIn: oncePerPath(canCreateIn) };
}

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
    const { uid, gid, mode } = statSync(toNodePath(folder));
    const user = process.getuid?.() ?? -1;
    if (user !== 0) {
      // An owner without the right can grant it to itself.
      if (uid !== user) accessSync(toNodePath(folder), constants.W_OK);
      return uid !== user || isWritableFileSystem(folder);
    }
    // Root's powers end at the sandbox: inside, it owns what root owns and has only the rights of others to everything
    // else.
    const allowed = uid === 0 || (gid === 0 && (mode & 0o020) !== 0) || (mode & 0o002) !== 0;
    return allowed && isWritableFileSystem(folder);
  } catch {
    return false;
  }
}

function isWritableFileSystem(folder: string): boolean {
  try {
    accessSync(toNodePath(folder), constants.W_OK);
    return true;
  } catch (error) {
    return errorCode(error) !== 'EROFS';
  }
}

export interface Followed {
  /** The path with links resolved, as far as it exists; the rest as spelled. */
  readonly path: string;
  /** `blocked`: a file is where a folder would have to be. `loop`: the links form a loop. */
  readonly kind: 'folder' | 'file' | 'missing' | 'blocked' | 'loop';
  /** The first part that does not exist, when the kind is `missing`. */
  readonly missing?: string;
  /** Every link on the way, in the order followed. */
  readonly links: readonly FollowedLink[];
}

export function followLinks(disk: DiskView, path: string): Followed {
  const { kind, at, sight, rest, links } = walkPath((place) => disk.look(place), path, { lastLink: 'followed' });
  if (kind === 'found') return { path: at, kind: sight.kind === 'folder' ? 'folder' : 'file', links };
  const spelled = normalisePath([at, ...rest].join('/')) as string;
  return { path: spelled, kind, ...(kind === 'missing' && { missing: at }), links };
}
