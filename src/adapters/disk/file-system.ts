import { valueOr } from '../../base/objects.ts';
import { errorCode } from '../../protocol/outcome.ts';
import { basename, dirname, join } from 'node:path';

export { errorCode };

/** Saves the 5 ms of an ESM import of `node:fs`. Blocking calls are by far the fastest for a few small files. */
export const fileSystem = process.getBuiltinModule('node:fs');
const { isUtf8 } = process.getBuiltinModule('node:buffer');

/** The file does not exist, or a part of its path is no folder. */
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

export const diskErrorReason = (error: unknown): string =>
  reasons[errorCode(error) ?? ''] ?? (error instanceof Error ? error.message : String(error));

/** Never throws: an entry that cannot be inspected counts as missing. */
export function kindOfEntry(path: string): 'file' | 'folder' | 'other' | 'missing' {
  try {
    const stats = fileSystem.statSync(toNodePath(path), { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  } catch {
    return 'missing';
  }
}

type InspectedEntry =
  | { readonly kind: 'folder' | 'file' | 'missing' }
  | { readonly kind: 'link'; readonly target: string };

/** Looks at the entry itself and does not follow a link. An entry that this user may not inspect is missing. */
export function inspectEntry(path: string): InspectedEntry {
  try {
    const found = fileSystem.lstatSync(toNodePath(path), { throwIfNoEntry: false });
    if (found === undefined) return { kind: 'missing' };
    if (found.isSymbolicLink()) return { kind: 'link', target: linkTarget(path) };
    return { kind: found.isDirectory() ? 'folder' : 'file' };
  } catch {
    return { kind: 'missing' };
  }
}

/** Bytes that are not UTF-8 are encoded as by `pathText`. Throws what Node throws. */
export function linkTarget(path: string): string {
  const target = fileSystem.readlinkSync(toNodePath(path), 'utf8');
  return mayHaveReplacedBytes(target) ? pathText(fileSystem.readlinkSync(toNodePath(path), 'buffer')) : target;
}

/*
 * File names are bytes, and not all are UTF-8. A path in this program encodes each invalid byte as a lone surrogate,
 * U+DC80 to U+DCFF, which no text contains. It is compared and joined like any other path, and becomes bytes again
 * where it leaves the program.
 */

/** Node's substitute for bytes that it cannot read as UTF-8. */
const replacement = '\uFFFD';
const firstOddByte = 0xdc00;
export const toNodePath = (path: string): string | Buffer => (path.isWellFormed() ? path : pathBytes(path));

export function pathBytes(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path);
  const parts = path.split(/([\uDC80-\uDCFF])/u);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - firstOddByte))),
  );
}

export function pathText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  const pieces: string[] = [];
  let valid = 0;
  for (let at = 0; at < buffer.length;) {
    const length = characterAt(buffer, at);
    if (length === 0) {
      pieces.push(buffer.toString('utf8', valid, at), String.fromCharCode(firstOddByte + buffer[at]!));
      valid = at + 1;
    }
    at += Math.max(length, 1);
  }
  return pieces.join('') + buffer.toString('utf8', valid);
}

/** The length of the UTF-8 character that begins here, or 0. Compares bytes itself: it has to be fast for megabytes. */
function characterAt(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  // 0x80 to 0xc1 begin no character, nor do those beyond the last one of Unicode.
  if (lead < 0xc2 || lead > 0xf4 || at + length > bytes.length) return 0;
  for (let next = at + 1; next < at + length; next++) if ((bytes[next]! & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1]!;
  // Overlong, a surrogate, or beyond Unicode.
  const isUnfit =
    (lead === 0xe0 && second < 0xa0) ||
    (lead === 0xed && second > 0x9f) ||
    (lead === 0xf0 && second < 0x90) ||
    (lead === 0xf4 && second > 0x8f);
  return isUnfit ? 0 : length;
}

/** Node may have replaced bytes in this name, or the name may really contain this character. */
export const mayHaveReplacedBytes = (name: string): boolean => name.includes(replacement);

/** Empty if the folder cannot be read. */
export function listFolderNames(folder: string): readonly string[] {
  try {
    const names = fileSystem.readdirSync(toNodePath(folder), 'utf8');
    if (!names.some(mayHaveReplacedBytes)) return names;
    return fileSystem.readdirSync(toNodePath(folder), 'buffer').map(pathText);
  } catch {
    return [];
  }
}

/** Text of a file of the system, such as one in /proc. Empty if it cannot be read. */
export function readSystemFile(path: string): string {
  return valueOr('', () => fileSystem.readFileSync(path, 'latin1'));
}

/** Undefined if the path, with links followed, leads nowhere. */
export function realPath(path: string): string | undefined {
  try {
    // Not the native variant: it changes the case of letters on some disks, and the sandbox would see another place.
    const place = path.isWellFormed() ? fileSystem.realpathSync(path) : path;
    return mayHaveReplacedBytes(place) || !place.isWellFormed() ? (oddRealPath(path) ?? place) : place;
  } catch {
    return oddRealPath(path);
  }
}

/** Resolves a path if it, or its real path, is not UTF-8: then `realpathSync` loses bytes. Otherwise undefined. */
function oddRealPath(path: string): string | undefined {
  try {
    const place = pathText(fileSystem.realpathSync.native(toNodePath(path), 'buffer'));
    return place.isWellFormed() && path.isWellFormed() ? undefined : place;
  } catch {
    return undefined;
  }
}

/** Resolves the part of the path that exists and leaves the rest as spelled. */
export const realPathSoFar = (path: string): string =>
  realPath(path) ?? (path === dirname(path) ? path : join(realPathSoFar(dirname(path)), basename(path)));

/** Returns an unused path in the folder. A dead process that had our number may have left files there. */
export function freeTemporaryPath(folder: string): string {
  for (let number = 0; ; number++) {
    const path = join(folder, `.capstan-${process.pid}-${number}`);
    if (fileSystem.lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}

/** Recognises a temporary name whose writer was stopped before it renamed the file. */
export const isTemporaryName = (name: string): boolean => /^\.capstan-\d+-\d+$/.test(name);

/**
 * Makes a folder and its missing parents one by one. Node's recursive call hides the reason of a failure, and never
 * returns if the system keeps denying that a parent exists, as below `/proc`.
 */
export function makeFolders(path: string, mode: number): void {
  const parent = dirname(path);
  if (parent !== path && !fileSystem.existsSync(parent)) makeFolders(parent, mode);
  try {
    fileSystem.mkdirSync(path, { mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !fileSystem.statSync(path).isDirectory()) throw error;
  }
}

/** Syncing the folder makes a new name survive a power cut. Throws where the system cannot do it. */
export function syncFolder(folder: string): void {
  const { O_RDONLY, O_DIRECTORY } = fileSystem.constants;
  const file = fileSystem.openSync(folder, O_RDONLY | O_DIRECTORY);
  try {
    fileSystem.fsyncSync(file);
  } finally {
    fileSystem.closeSync(file);
  }
}
