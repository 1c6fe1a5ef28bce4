import { fileSystem } from './file-system.ts';
import { sweepFolders } from './processes.ts';
import { readUpTo, withRegular } from './regular-files.ts';
import { mkdtempSync, rmSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What others may do with a file or folder of ours: read it, or nothing. They may never write to it. */
export type AccessForOthers = 'readable' | 'closed';

/** A small file of the engine's own: regular, no link, of this user, within its limit. Anything else is missing. */
export function readOwnFile(
  path: string,
  { maxBytes, toOthers }: { readonly maxBytes: number; readonly toOthers: AccessForOthers },
): { readonly bytes: Buffer; readonly stats: Stats } | undefined {
  try {
    return withRegular(path, { links: 'refused' }, (file, stats) => {
      if (!isOurs(stats, toOthers) || stats.size > maxBytes) return undefined;
      const bytes = readUpTo(file, { most: maxBytes + 1, expected: stats.size });
      return bytes.length > maxBytes ? undefined : { bytes, stats };
    });
  } catch {
    return undefined;
  }
}

/**
 * Writes such a file, through a second name, so that readers see all of it or nothing. The second name must be one that
 * only this process uses; what an earlier process of its number left there is removed.
 */
export function writeOwnFile(path: string, temporary: string, text: string): void {
  fileSystem.rmSync(temporary, { force: true });
  fileSystem.writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
  fileSystem.renameSync(temporary, path);
}

/** Makes the folder if need be. Whether it is a folder, and no link, that is ours. */
export function makeOwnFolder(folder: string, toOthers: AccessForOthers): boolean {
  try {
    fileSystem.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = fileSystem.lstatSync(folder);
    return found.isDirectory() && isOurs(found, toOthers);
  } catch {
    return false;
  }
}

/** Systems that know no owners give none. */
function isOurs({ uid, mode }: Stats, toOthers: AccessForOthers): boolean {
  if (process.getuid !== undefined && uid !== process.getuid()) return false;
  return (mode & (toOthers === 'closed' ? 0o077 : 0o022)) === 0;
}

/** Files of one thread for as long as it is open. */
export interface ThreadFolder {
  /** Made when it is first asked for. Throws where the disk refuses. */
  path(): string;
  /** Removes it with all that is in it. */
  remove(): void;
}

const prefix = 'thread-';

/** `parent`: commands may read what is in it, and not write. */
export function threadFolder(parent: string): ThreadFolder {
  let own: string | undefined;
  const make = (): string => {
    if (!makeOwnFolder(parent, 'readable')) throw new Error(`${parent} is open to others.`);
    sweepFolders(parent, prefix);
    const made = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
    if (folders.size === 0) process.on('exit', removeAll);
    folders.add(made);
    return made;
  };
  return {
    path: () => (own ??= make()),
    remove() {
      if (own !== undefined) remove(own);
      own = undefined;
      if (folders.size === 0) process.off('exit', removeAll);
    },
  };
}

/** Of all threads of this process: they are removed when it goes. */
const folders = new Set<string>();

function remove(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

function removeAll(): void {
  for (const folder of folders) remove(folder);
}
