import { errorCode } from '../../protocol/outcome.ts';
import { basename, dirname, join } from 'node:path';

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

/*
 * Names on a disk are bytes, and not all are UTF-8: Latin-1 names of old archives, for instance. In a path of this
 * program each byte that is no part of a character is a lone surrogate, U+DC80 to U+DCFF, which no text has. Such a path
 * is compared and joined like any other, and becomes bytes again where it leaves the program.
 */

/** What Node puts in the place of bytes that it cannot read as UTF-8. */
const replacement = '\uFFFD';
const firstOddByte = 0xdc00;

/** A path for Node, which would write lone surrogates as another name. */
export function diskPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : pathBytes(path);
}

export function pathBytes(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path);
  const parts = path.split(/([\uDC80-\uDCFF])/u);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - firstOddByte))),
  );
}

/** A path or name as it is on the disk. */
export function pathText(bytes: Uint8Array): string {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const read = (from: number, to: number): string | undefined => {
    try {
      return strict.decode(bytes.subarray(from, to));
    } catch {
      return undefined;
    }
  };
  const whole = read(0, bytes.length);
  if (whole !== undefined) return whole;
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] as number;
    if (byte < 0x80) {
      text += String.fromCharCode(byte);
      at += 1;
      continue;
    }
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    const character = read(at, at + length);
    text += character ?? String.fromCharCode(firstOddByte + byte);
    at += character === undefined ? 1 : length;
  }
  return text;
}

/** Whether a name as Node gives it may stand for another one. It may also be a name with this very character. */
export function mayBeOdd(name: string): boolean {
  return name.includes(replacement);
}

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
export function realPathSoFar(path: string): string {
  return realPath(path) ?? (path === dirname(path) ? path : join(realPathSoFar(dirname(path)), basename(path)));
}

/** A path in the folder that no file has: the number of a process that is gone may have come around again. */
export function freeTemporaryPath(folder: string): string {
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
