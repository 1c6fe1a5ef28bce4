import { fileSystem, isMissing, reasonOf } from './file-system.ts';
import { diskPath } from './path-bytes.ts';
import { NotRegular, nounFor, readUpTo, realPathOf, standsAtItsName, withRegular } from './regular-file.ts';

export interface BoundedReading {
  /** A larger file is refused before it is read. */
  readonly maxBytes: number;
  /** Whether a path must not be read. Asked about the path as it is spelled and about the file that was opened. */
  denies?(path: string): boolean;
}

/** `reason` ends a sentence: "… cannot be read: {reason}." */
export interface UnreadFile {
  readonly kind: 'unread';
  readonly why: 'not-a-file' | 'too-large' | 'denied' | 'failed';
  readonly reason: string;
  /** Of a file that is too large. */
  readonly size?: number;
}

export type ReadFile = { readonly kind: 'read'; readonly bytes: Buffer } | UnreadFile | { readonly kind: 'missing' };

/**
 * The content of a regular file of limited size. Nothing at the path can hold the program up or fill its memory: a pipe,
 * a device, a socket and a folder are refused, and a file that grows while it is read is refused as well.
 */
export function readBounded(path: string, { maxBytes, denies }: BoundedReading): ReadFile {
  if (denies?.(path) === true) return denied;
  try {
    // Looked at first: opening a device can have an effect, such as rewinding a tape.
    const seen = fileSystem.statSync(diskPath(path), { throwIfNoEntry: false });
    if (seen === undefined) return { kind: 'missing' };
    if (!seen.isFile()) return notAFile(nounFor(seen));
    return withRegular(path, { links: 'followed' }, (file, stats): ReadFile => {
      const { size } = stats;
      if (denies?.(realPathOf(file, path)) === true) return denied;
      // The name that was asked about must be the file's own: not one in the mounts of another process.
      if (denies !== undefined && !standsAtItsName(file, stats)) return notThere;
      if (size > maxBytes) return tooLarge(maxBytes, size);
      const bytes = readUpTo(file, { most: maxBytes + 1, expected: size });
      return bytes.length > maxBytes ? tooLarge(maxBytes, bytes.length) : { kind: 'read', bytes };
    });
  } catch (error) {
    if (error instanceof NotRegular) return notAFile(error.noun);
    return isMissing(error) ? { kind: 'missing' } : { kind: 'unread', why: 'failed', reason: reasonOf(error) };
  }
}

/** The same, or undefined when it cannot be read for whatever reason. */
export function readIfPossible(path: string, options: BoundedReading): Buffer | undefined {
  const file = readBounded(path, options);
  return file.kind === 'read' ? file.bytes : undefined;
}

/** The same as text; broken UTF-8 is replaced. */
export function readTextIfPossible(path: string, options: BoundedReading): string | undefined {
  return readIfPossible(path, options)?.toString('utf8');
}

/** Why there is no file at a path, for a sentence. */
export function whyMissing(path: string): string {
  try {
    fileSystem.statSync(path);
    return 'it disappeared';
  } catch (error) {
    return reasonOf(error);
  }
}

const denied: UnreadFile = { kind: 'unread', why: 'denied', reason: 'the policy denies reading it' };

const notThere: UnreadFile = {
  kind: 'unread',
  why: 'failed',
  reason: 'it was replaced while it was opened, or is reached through another process',
};

function notAFile(noun: string): UnreadFile {
  return { kind: 'unread', why: 'not-a-file', reason: `it is ${noun}` };
}

function tooLarge(maxBytes: number, size: number): UnreadFile {
  return { kind: 'unread', why: 'too-large', reason: `it is larger than ${sizeWords(maxBytes)}`, size };
}

function sizeWords(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MB` : `${bytes / 1024} KB`;
}
