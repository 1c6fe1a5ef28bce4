/**
 * Node's file system, taken without an ESM import of `node:fs`: that import alone costs 5 ms of every start. Blocking
 * calls are right for a handful of small files: through the thread pool one takes fifty times as long.
 */
export const fileSystem = process.getBuiltinModule('node:fs');

/** The code of a Node error (`ENOENT` and the like), or undefined for anything else that was thrown. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The file is not there, or a part of its path is no folder. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Why a file could not be used, for the user. */
export function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOENT':
      return 'it does not exist';
    case 'ENOTDIR':
      return 'a part of its path is not a folder';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'EROFS':
      return 'the disk is read-only';
    case 'ELOOP':
      return 'its links lead in a circle';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

/** Never throws: what cannot be looked at counts as missing. */
export function kindOfEntry(path: string): 'file' | 'folder' | 'other' | 'missing' {
  try {
    const stats = fileSystem.statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  } catch {
    return 'missing';
  }
}
