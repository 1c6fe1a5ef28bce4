import { toNodePath, fileSystem, isMissing, diskErrorReason } from './file-system.ts';
import type { Stats } from 'node:fs';

export interface OpenOptions {
  /** A link at the end of the path is followed, or refused with `ELOOP`. */
  readonly links: 'followed' | 'refused';
  readonly flags?: number;
  readonly mode?: number;
}

type UseOfFile<Result> = (file: number, stats: Stats) => Result;

export class NotRegularFileError extends Error {
  readonly noun: string;

  constructor(stats: Stats) {
    super('it is not a file');
    this.noun = describeFileKind(stats);
  }
}

/** Keep a pipe without a writer from blocking us, and a terminal from becoming our controlling one. */
export const nonBlockingFlags = fileSystem.constants.O_NONBLOCK | fileSystem.constants.O_NOCTTY;

/**
 * Opens a regular file without blocking, or throws `NotRegularFileError`. Checks the descriptor, because the path may lead
 * elsewhere by then. The caller closes it.
 */
export function openRegularFile(path: string, { links, flags = 0, mode }: OpenOptions) {
  const ofLinks = links === 'refused' ? fileSystem.constants.O_NOFOLLOW : 0;
  const file = fileSystem.openSync(toNodePath(path), flags | nonBlockingFlags | ofLinks, mode);
  try {
    const stats = fileSystem.fstatSync(file);
    if (!stats.isFile()) throw new NotRegularFileError(stats);
    return { file, stats };
  } catch (error) {
    fileSystem.closeSync(file);
    throw error;
  }
}

/** Opens the file, and closes it after `use`. */
export function withRegularFile<Result>(path: string, options: OpenOptions, use: UseOfFile<Result>) {
  const { file, stats } = openRegularFile(path, options);
  try {
    return use(file, stats);
  } finally {
    fileSystem.closeSync(file);
  }
}

/** Reads until the end or the limit. Files of /proc report a size of 0 but have content. */
export function readUpTo(file: number, { most, expected }: Readonly<Record<'most' | 'expected', number>>): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(most, expected + 1));
  let length = 0;
  for (;;) {
    const count = fileSystem.readSync(file, buffer, length, buffer.length - length, length);
    length += count;
    if (count === 0 || length === most) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(most, Math.max(buffer.length * 2, 4096)));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
}

/** The real path of an open file. Linux reports it for the descriptor; elsewhere the path is resolved again. */
export function realPathOf(descriptor: number, path: string): string {
  if (process.platform === 'linux') {
    try {
      const named = fileSystem.readlinkSync(`/proc/self/fd/${descriptor}`);
      const isDeleted = named.endsWith(deleted) && fileSystem.fstatSync(descriptor).nlink === 0;
      return isDeleted ? named.slice(0, -deleted.length) : named;
    } catch {
      // A system without /proc.
    }
  }
  const real = fileSystem.realpathSync.native(path);
  const [opened, found] = [fileSystem.fstatSync(descriptor), fileSystem.statSync(real)];
  if (opened.dev !== found.dev || opened.ino !== found.ino) throw new Error('it was replaced while it was opened');
  return real;
}

/** False if the name from `realPathOf` leads to another file: it was replaced, or is from another process's mounts. */
function isReachableByName(descriptor: number, { dev, ino }: Stats): boolean {
  // On other systems `realPathOf` has already compared the file with the one at the path.
  if (process.platform !== 'linux') return true;
  let name: Buffer;
  try {
    name = fileSystem.readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer');
  } catch {
    return true;
  }
  const found = fileSystem.statSync(name, { throwIfNoEntry: false });
  return found !== undefined && found.dev === dev && found.ino === ino;
}

const deleted = ' (deleted)';

export function describeFileKind(stats: Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket'>): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

export interface BoundedReading {
  readonly maxBytes: number;
  /** True if the policy denies reading. Asked about the path as spelled and the real path of the opened file. */
  denies?(path: string): boolean;
}

/** `reason` ends a sentence: "… cannot be read: {reason}." */
export interface UnreadFile {
  readonly kind: 'unread';
  readonly why: 'not-a-file' | 'too-large' | 'denied' | 'failed';
  readonly reason: string;
  readonly size?: number;
}

export type FileReadResult =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | UnreadFile
  | { readonly kind: 'missing' };

/** Opens a regular file for reading, or says why not. No entry at the path can block the program. */
export function readRegularFile<Result>(path: string, read: UseOfFile<Result>) {
  try {
    // Check before opening: opening a device can have an effect, such as rewinding a tape.
    const seen = fileSystem.statSync(toNodePath(path), { throwIfNoEntry: false });
    if (seen === undefined) return { kind: 'missing' } as const;
    if (!seen.isFile()) return notAFile(describeFileKind(seen));
    return withRegularFile(path, { links: 'followed' }, read);
  } catch (error) {
    if (error instanceof NotRegularFileError) return notAFile(error.noun);
    if (isMissing(error)) return { kind: 'missing' } as const;
    return { kind: 'unread', why: 'failed', reason: diskErrorReason(error) } as const;
  }
}

/** Nothing can block the program or fill its memory: no pipe, device, socket, folder or growing file is read. */
export function readBounded(path: string, { maxBytes, denies }: BoundedReading): FileReadResult {
  if (denies?.(path) === true) return denied;
  return readRegularFile(path, (file, stats): FileReadResult => {
    const { size } = stats;
    if (denies?.(realPathOf(file, path)) === true) return denied;
    // The name that was checked must be the file's own, not one in the mounts of another process.
    if (denies !== undefined && !isReachableByName(file, stats)) return notThere;
    if (size > maxBytes) return tooLarge(maxBytes, size);
    const bytes = readUpTo(file, { most: maxBytes + 1, expected: size });
    return bytes.length > maxBytes ? tooLarge(maxBytes, bytes.length) : { kind: 'read', bytes };
  });
}

/** Changes whenever the file does. */
export const versionOfFile = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;

export function readIfPossible(path: string, options: BoundedReading): Buffer | undefined {
  const file = readBounded(path, options);
  return file.kind === 'read' ? file.bytes : undefined;
}

export const readTextIfPossible = (path: string, options: BoundedReading): string | undefined =>
  readIfPossible(path, options)?.toString('utf8');

export function missingFileReason(path: string): string {
  try {
    fileSystem.statSync(path);
    return 'it disappeared';
  } catch (error) {
    return diskErrorReason(error);
  }
}

const denied: UnreadFile = { kind: 'unread', why: 'denied', reason: 'the policy denies reading it' };
const replaced = 'it was replaced while it was opened, or is reached through another process';
const notThere: UnreadFile = { kind: 'unread', why: 'failed', reason: replaced };
const notAFile = (noun: string): UnreadFile => ({ kind: 'unread', why: 'not-a-file', reason: `it is ${noun}` });

const tooLarge = (maxBytes: number, size: number): UnreadFile => ({
  kind: 'unread',
  why: 'too-large',
  reason: `it is larger than ${sizeWords(maxBytes)}`,
  size,
});

const sizeWords = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MB` : `${bytes / 1024} KB`;
