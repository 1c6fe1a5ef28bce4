import { join } from 'node:path';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../../disk/own-file.ts';
import { version } from '../../protocol/version.ts';

/**
 * Whether something is said for the first time in a home, by this version. `name` is that of a file. With other words it
 * is said again, and so it is where nothing can be kept.
 */
export function isFirstTime(home: string, name: string, words: string): boolean {
  const folder = join(home, 'capstan/said');
  const path = join(folder, name);
  const said = `${version} ${words}`;
  const known = readOwnFile(path, { maxBytes: 10_000, toOthers: 'closed' });
  if (known?.bytes.toString('utf8') === said) return false;
  if (!makeOwnFolder(folder, 'closed')) return true;
  try {
    writeOwnFile(path, join(folder, `${name}.${process.pid}.tmp`), said);
  } catch {
    // A full disk loses no more than this.
  }
  return true;
}
