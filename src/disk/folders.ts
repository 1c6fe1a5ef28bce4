import { basename, dirname, join } from 'node:path';
import { fileSystem } from './file-system.ts';
import { diskPath, mayBeOdd, pathText } from './path-bytes.ts';

/** The names in a folder; none when it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    const names = fileSystem.readdirSync(diskPath(folder), 'utf8');
    return names.some(mayBeOdd) ? fileSystem.readdirSync(diskPath(folder), 'buffer').map(pathText) : names;
  } catch {
    return [];
  }
}

/** Where the path leads when its links are followed; undefined when it leads nowhere. */
export function realPath(path: string): string | undefined {
  try {
    // Not the native one: it changes the case of letters on some disks, and the sandbox would see another place.
    const place = path.isWellFormed() ? fileSystem.realpathSync(path) : path;
    return mayBeOdd(place) || !place.isWellFormed() ? (oddRealPath(path) ?? place) : place;
  } catch {
    return oddRealPath(path);
  }
}

/** Where the path leads if that name or the way there is not UTF-8: Node loses the bytes of a link on the way. */
function oddRealPath(path: string): string | undefined {
  try {
    const place = pathText(fileSystem.realpathSync.native(diskPath(path), 'buffer'));
    return place.isWellFormed() && path.isWellFormed() ? undefined : place;
  } catch {
    return undefined;
  }
}

/** The same as far as the path exists, and the rest as it is spelled. */
export function realPlace(path: string): string {
  return realPath(path) ?? (path === dirname(path) ? path : join(realPlace(dirname(path)), basename(path)));
}

/** A path in the folder that no file has: the number of a process that is gone may have come around again. */
export function freeName(folder: string): string {
  for (let number = 0; ; number++) {
    const path = join(folder, `.capstan-${process.pid}-${number}`);
    if (fileSystem.lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}

/** Recognises such a name: the writer of the file was stopped before it gave the file its own. */
export function isTemporaryName(name: string): boolean {
  return /^\.capstan-\d+-\d+$/.test(name);
}

/**
 * The folder nearest to the root that has to be made for a path. Making a path as a whole, Node says that it is missing
 * whatever the reason, a read-only disk for instance; this folder alone gets the true one.
 */
export function firstMissing(path: string): string {
  let missing = path;
  while (missing !== dirname(missing) && !fileSystem.existsSync(dirname(missing))) missing = dirname(missing);
  return missing;
}

/** A new name lasts through a power cut when its folder is synced. Throws where the system cannot do it. */
export function syncFolder(folder: string): void {
  const { O_RDONLY, O_DIRECTORY } = fileSystem.constants;
  const file = fileSystem.openSync(folder, O_RDONLY | O_DIRECTORY);
  try {
    fileSystem.fsyncSync(file);
  } finally {
    fileSystem.closeSync(file);
  }
}
