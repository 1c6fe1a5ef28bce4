import type { Stats } from 'node:fs';
import { fileSystem } from './file-system.ts';
import { diskPath } from './path-bytes.ts';

export interface OpenOptions {
  /** A link at the end of the path is followed, or refused with `ELOOP`. */
  readonly links: 'followed' | 'refused';
  /** `O_WRONLY`, `O_CREAT` and the like. Without them the file is opened for reading. */
  readonly flags?: number;
  /** Of a file that is made. */
  readonly mode?: number;
}

export interface OpenRegularFile {
  readonly file: number;
  readonly stats: Stats;
}

/** What was opened is a folder, a pipe, a socket or a device. */
export class NotRegular extends Error {
  /** For a sentence. */
  readonly noun: string;

  constructor(stats: Stats) {
    super('it is not a file');
    this.noun = nounFor(stats);
  }
}

/** A pipe without a writer must not hold us, nor a terminal become ours. */
export const withoutWaiting = fileSystem.constants.O_NONBLOCK | fileSystem.constants.O_NOCTTY;

/**
 * Opens a regular file without waiting, and refuses anything else with `NotRegular`. The check is of the descriptor:
 * the path may lead elsewhere by then. The caller closes the file.
 */
export function openRegular(path: string, { links, flags = 0, mode }: OpenOptions): OpenRegularFile {
  const { O_NOFOLLOW } = fileSystem.constants;
  const file = fileSystem.openSync(
    diskPath(path),
    flags | withoutWaiting | (links === 'refused' ? O_NOFOLLOW : 0),
    mode,
  );
  try {
    const stats = fileSystem.fstatSync(file);
    if (!stats.isFile()) throw new NotRegular(stats);
    return { file, stats };
  } catch (error) {
    fileSystem.closeSync(file);
    throw error;
  }
}

/** The same, closed after its use. */
export function withRegular<Result>(
  path: string,
  options: OpenOptions,
  use: (file: number, stats: Stats) => Result,
): Result {
  const { file, stats } = openRegular(path, options);
  try {
    return use(file, stats);
  } finally {
    fileSystem.closeSync(file);
  }
}

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

/** Where an open file really is. Linux says it of the descriptor itself; elsewhere the path is resolved again. */
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

/**
 * Whether the name that `realPathOf` gives leads to the file. It does not if the file was reached through the root or
 * the descriptors of another process, whose disk may look different, or was replaced since.
 */
export function standsAtItsName(descriptor: number, { dev, ino }: Stats): boolean {
  // Elsewhere, `realPathOf` has compared.
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

/** Linux puts it behind the name of an open file that has no name any more. */
const deleted = ' (deleted)';

/** What stands at a place, for a sentence. */
export function nounFor(stats: Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket'>): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}
