import type { Stats } from 'node:fs';
import { fileSystem, isMissing, reasonOf } from './file-system.ts';

export interface ReadOptions {
  /** A larger file is refused before it is read. */
  readonly maxBytes: number;
  /** Whether a path must not be read. Asked about the path as it is spelled and about the file that was opened. */
  denies?(path: string): boolean;
}

export interface WholeFile {
  readonly kind: 'read';
  readonly bytes: Buffer;
}

/** `reason` ends a sentence: "… cannot be read: {reason}." */
export interface UnreadFile {
  readonly kind: 'unread';
  readonly why: 'not-a-file' | 'too-large' | 'denied' | 'failed';
  readonly reason: string;
  /** Of a file that is too large. */
  readonly size?: number;
}

export type ReadFile = WholeFile | UnreadFile | { readonly kind: 'missing' };

/**
 * The content of a regular file of limited size. Nothing at the path can hold the program up or fill its memory: a pipe,
 * a device, a socket and a folder are refused, and a file that grows while it is read is refused as well.
 */
export function readBounded(path: string, { maxBytes, denies }: ReadOptions): ReadFile {
  if (denies?.(path) === true) return denied;
  return withOpenFile(path, (descriptor, stats): ReadFile => {
    if (denies?.(realPathOf(descriptor, path)) === true) return denied;
    if (stats.size > maxBytes) return tooLarge(maxBytes, stats.size);
    const bytes = readUpTo(descriptor, { most: maxBytes + 1, expected: stats.size });
    return bytes.length > maxBytes ? tooLarge(maxBytes, bytes.length) : { kind: 'read', bytes };
  });
}

/** The same, or undefined when it cannot be read for whatever reason. */
export function readIfPossible(path: string, options: ReadOptions): Buffer | undefined {
  const file = readBounded(path, options);
  return file.kind === 'read' ? file.bytes : undefined;
}

/** The same as text; broken UTF-8 is replaced. */
export function readTextIfPossible(path: string, options: ReadOptions): string | undefined {
  return readIfPossible(path, options)?.toString('utf8');
}

/**
 * Opens a path for reading without waiting and hands over what was opened, if it is a regular file. What the caller
 * checks about the descriptor is true of the bytes that it reads: the name may lead elsewhere by then.
 */
function withOpenFile<Result>(
  path: string,
  use: (descriptor: number, stats: Stats) => Result,
): Result | UnreadFile | { readonly kind: 'missing' } {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fileSystem.constants;
  try {
    // Looked at first: opening a device can have an effect, such as rewinding a tape.
    const seen = fileSystem.statSync(path, { throwIfNoEntry: false });
    if (seen === undefined) return { kind: 'missing' };
    if (!seen.isFile()) return notRegular(seen);
    const descriptor = fileSystem.openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    try {
      const stats = fileSystem.fstatSync(descriptor);
      return stats.isFile() ? use(descriptor, stats) : notRegular(stats);
    } finally {
      fileSystem.closeSync(descriptor);
    }
  } catch (error) {
    return isMissing(error) ? { kind: 'missing' } : { kind: 'unread', why: 'failed', reason: reasonOf(error) };
  }
}

/** Where an open file really is. Linux tells it about the descriptor itself; elsewhere the path is resolved again. */
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

/** Linux puts it behind the name of an open file that has no name any more. */
const deleted = ' (deleted)';

/** Reads until the end or the limit. Files of /proc have a size of 0 and content all the same. */
export function readUpTo(
  descriptor: number,
  { most, expected }: { readonly most: number; readonly expected: number },
): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(most, expected + 1));
  let length = 0;
  for (;;) {
    const count = fileSystem.readSync(descriptor, buffer, length, buffer.length - length, length);
    length += count;
    if (count === 0 || length === most) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(most, Math.max(buffer.length * 2, 4096)));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
}

/** Why there is no file at a path, for a sentence. */
export function whyMissing(path: string): string {
  try {
    fileSystem.statSync(path);
    return 'it went away';
  } catch (error) {
    return reasonOf(error);
  }
}

/** What stands at a place, for a sentence. */
export function nounFor(stats: Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket'>): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

const denied: UnreadFile = { kind: 'unread', why: 'denied', reason: 'the policy denies reading it' };

function notRegular(stats: Stats): UnreadFile {
  return { kind: 'unread', why: 'not-a-file', reason: `it is ${nounFor(stats)}` };
}

function tooLarge(maxBytes: number, size: number): UnreadFile {
  return { kind: 'unread', why: 'too-large', reason: `it is larger than ${sizeWords(maxBytes)}`, size };
}

function sizeWords(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MB` : `${bytes / 1024} KB`;
}
