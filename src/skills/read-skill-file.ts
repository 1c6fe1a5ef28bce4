import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { fileSystem, isMissing, reasonOf } from '../disk/file-system.ts';
import { diskPath } from '../disk/path-bytes.ts';
import { NotRegular, nounFor, readUpTo, realPathOf, withRegular } from '../disk/regular-file.ts';

export interface SkillReading {
  /** How many bytes are read. */
  readonly most: number;
  /** Why the file at a path must not be read, given where it really is; undefined when it may. */
  guard(path: string, place: string): string | undefined;
}

/** `reason` ends a sentence: "… cannot be read: {reason}." */
export type SkillFileText =
  | {
      readonly kind: 'read';
      readonly text: string;
      readonly isUtf8: boolean;
      readonly isWhole: boolean;
      readonly place: string;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unread'; readonly reason: string };

/** The beginning of a regular file. Nothing at the path can hold the program up or fill its memory. */
export function readSkillFile(path: string, { most, guard }: SkillReading): SkillFileText {
  try {
    // Looked at first: opening a device can have an effect.
    const seen = fileSystem.statSync(diskPath(path), { throwIfNoEntry: false });
    if (seen === undefined) return { kind: 'missing' };
    if (!seen.isFile()) return { kind: 'unread', reason: `it is ${nounFor(seen)}` };
    return withRegular(path, { links: 'followed' }, (file, { size }): SkillFileText => {
      const place = realPathOf(file, path);
      const reason = guard(path, place);
      if (reason !== undefined) return { kind: 'unread', reason };
      const bytes = readUpTo(file, { most: most + 1, expected: Math.min(size, most) });
      const isWhole = bytes.length <= most;
      // The end may be half a character.
      const isText = isUtf8(isWhole ? bytes : bytes.subarray(0, bytes.lastIndexOf('\n') + 1));
      return { kind: 'read', text: bytes.subarray(0, most).toString('utf8'), isUtf8: isText, isWhole, place };
    });
  } catch (error) {
    if (error instanceof NotRegular) return { kind: 'unread', reason: `it is ${error.noun}` };
    return isMissing(error) ? { kind: 'missing' } : { kind: 'unread', reason: reasonOf(error) };
  }
}

/** Changes whenever the file does; undefined when there is none. */
export function fileVersion(path: string): { readonly version: string; readonly modifiedMs: number } | undefined {
  try {
    const stats = fileSystem.statSync(diskPath(path), { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    return { version: versionOf(stats), modifiedMs: Math.max(stats.mtimeMs, stats.ctimeMs) };
  } catch {
    return undefined;
  }
}

function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}
