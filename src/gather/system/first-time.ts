import { join } from 'node:path';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../../disk/own-file.ts';

export interface Said {
  /** Of a file. */
  readonly name: string;
  /** With other words it is said again. Absent: it is said once, whatever the words are. */
  readonly words?: string;
  /** Whether this is kept for the next time. */
  readonly keeps: boolean;
}

/** Whether something is said for the first time in a home. Where nothing can be kept, it is so each time. */
export function isFirstTime(home: string, { name, words, keeps }: Said): boolean {
  const folder = join(home, 'capstan/said');
  const path = join(folder, name);
  const known = readOwnFile(path, { maxBytes: 10_000, toOthers: 'closed' });
  if (known !== undefined && (words === undefined || known.bytes.toString('utf8') === words)) return false;
  if (!keeps || !makeOwnFolder(folder, 'closed')) return true;
  try {
    writeOwnFile(path, join(folder, `${name}.${process.pid}.tmp`), words ?? '');
  } catch {
    // A full or read-only disk loses no more than this.
  }
  return true;
}
