import { fileSystem, isMissing } from './file-system.ts';
import { type InstructionProblem, linkLeadsNowhere, notAFile, unreadable, wentAway } from './instruction-problems.ts';
import type { InstructionText } from './instruction-text.ts';

/** A regular file that is there. `version` changes whenever the file does. */
export interface InstructionFile {
  readonly kind: 'file';
  readonly path: string;
  readonly version: string;
  readonly modifiedMs: number;
}

/** What stands at a path. `unusable` is no file, so another name may serve; `unknown` may be one. */
export type Looked =
  | InstructionFile
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable' | 'unknown'; readonly problem: InstructionProblem };

type Stats = NonNullable<ReturnType<typeof fileSystem.lstatSync>>;

/** Reads nothing. One call to the system, and a second one for a link. */
export function lookAt(path: string): Looked {
  try {
    const entry = fileSystem.lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return { kind: 'none' };
    const stats = entry.isSymbolicLink() ? fileSystem.statSync(path, { throwIfNoEntry: false }) : entry;
    if (stats === undefined) return { kind: 'unusable', problem: linkLeadsNowhere(path) };
    if (!stats.isFile()) return { kind: 'unusable', problem: notAFile(path, nounFor(stats)) };
    const modifiedMs = Math.max(stats.mtimeMs, stats.ctimeMs);
    return { kind: 'file', path, version: versionOf(stats), modifiedMs };
  } catch (error) {
    return isMissing(error) ? { kind: 'none' } : { kind: 'unknown', problem: unreadable(path, error) };
  }
}

/** What came of reading. `changed`: the file is no longer the one that was looked at. */
export type InstructionRead =
  | { readonly kind: 'read' | 'changed'; readonly text: InstructionText }
  | { readonly kind: 'gone' | 'failed'; readonly problem: InstructionProblem };

/** Reads one byte more than the limit, so that a cut can see where a character ends. */
export function readBeginning({ path, version }: InstructionFile, limit: number): InstructionRead {
  try {
    const { O_RDONLY, O_NONBLOCK } = fileSystem.constants;
    // If a pipe has taken the file's place, opening it must not wait for somebody who writes.
    const descriptor = fileSystem.openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      const before = fileSystem.fstatSync(descriptor);
      if (!before.isFile()) return { kind: 'gone', problem: notAFile(path, nounFor(before)) };
      const bytes = readUpTo(descriptor, limit + 1);
      const after = fileSystem.fstatSync(descriptor);
      const size = bytes.length <= limit ? bytes.length : Math.max(bytes.length, after.size);
      return { kind: versionOf(after) === version ? 'read' : 'changed', text: { path, bytes, size } };
    } finally {
      fileSystem.closeSync(descriptor);
    }
  } catch (error) {
    if (isMissing(error)) return { kind: 'gone', problem: wentAway(path) };
    return { kind: 'failed', problem: unreadable(path, error) };
  }
}

function readUpTo(descriptor: number, most: number): Buffer {
  const buffer = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const count = fileSystem.readSync(descriptor, buffer, length, most - length, length);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function nounFor(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
