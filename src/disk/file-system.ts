import { errorCode } from '../protocol/error-code.ts';
import { diskPath, mayBeOdd, pathText } from './path-bytes.ts';

export { errorCode };

/**
 * Node's file system, taken without an ESM import of `node:fs`: that import alone costs 5 ms of every start. Blocking
 * calls are right for a handful of small files: through the thread pool one takes fifty times as long.
 */
export const fileSystem = process.getBuiltinModule('node:fs');

/** The file is not there, or a part of its path is no folder. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the disk is read-only',
  ELOOP: 'its links form a loop',
};

/** Why a file could not be used, for the user. */
export function reasonOf(error: unknown): string {
  return reasons[errorCode(error) ?? ''] ?? (error instanceof Error ? error.message : String(error));
}

/** Never throws: what cannot be looked at counts as missing. */
export function kindOfEntry(path: string): 'file' | 'folder' | 'other' | 'missing' {
  try {
    const stats = fileSystem.statSync(diskPath(path), { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  } catch {
    return 'missing';
  }
}

/** What stands at a path, a link itself and not what it leads to. What this user may not look at is missing. */
export function lookAt(
  path: string,
): { readonly kind: 'folder' | 'file' | 'missing' } | { readonly kind: 'link'; readonly target: string } {
  try {
    const found = fileSystem.lstatSync(diskPath(path), { throwIfNoEntry: false });
    if (found === undefined) return { kind: 'missing' };
    if (found.isSymbolicLink()) return { kind: 'link', target: linkTarget(path) };
    return { kind: found.isDirectory() ? 'folder' : 'file' };
  } catch {
    return { kind: 'missing' };
  }
}

/** What a link says, with bytes that are not UTF-8 as `pathText` writes them. Throws what Node throws. */
export function linkTarget(path: string): string {
  const target = fileSystem.readlinkSync(diskPath(path), 'utf8');
  return mayBeOdd(target) ? pathText(fileSystem.readlinkSync(diskPath(path), 'buffer')) : target;
}
