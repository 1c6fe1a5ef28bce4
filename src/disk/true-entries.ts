import type { Dirent } from 'node:fs';
import { fileSystem } from './file-system.ts';
import { diskPath, mayBeOdd, pathText } from './path-bytes.ts';

export type NamedEntry = Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink' | 'isSocket'>;

/** The same entries, or those of a second look at the folder if names among them may not be the true ones. */
export function withTrueNames<Entry extends NamedEntry>(
  entries: readonly Entry[],
  folder: string,
  most?: number,
): readonly (Entry | NamedEntry)[] {
  return entries.some(({ name }) => mayBeOdd(name)) ? trueEntries(folder, most) : entries;
}

/** The entries of a folder with their true names, at most so many. Throws what Node throws. */
export function trueEntries(folder: string, most = Number.POSITIVE_INFINITY): readonly NamedEntry[] {
  const found: NamedEntry[] = [];
  // In this encoding a character is a byte.
  const open = fileSystem.opendirSync(diskPath(folder), { encoding: 'latin1', bufferSize: 256 });
  try {
    for (let entry = open.readSync(); entry !== null && found.length < most; entry = open.readSync()) {
      found.push(Object.assign(entry, { name: pathText(Buffer.from(entry.name, 'latin1')) }));
    }
  } finally {
    open.closeSync();
  }
  return found;
}
