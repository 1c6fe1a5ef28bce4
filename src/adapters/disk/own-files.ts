import { fileSystem } from './file-system.ts';
import { removeFoldersOfDeadProcesses } from './processes.ts';
import { readUpTo, withRegularFile } from './regular-files.ts';
import { mkdtempSync, rmSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** Access of others to our files and folders. They may never write. */
export type AccessForOthers = 'readable' | 'closed';

/** Reads a small regular file of this user, no link, within its limit. Anything else counts as missing. */
export function readOwnFile(
  path: string,
  { maxBytes, toOthers }: { readonly maxBytes: number; readonly toOthers: AccessForOthers },
): { readonly bytes: Buffer; readonly stats: Stats } | undefined {
  try {
    return withRegularFile(path, { links: 'refused' }, (file, stats) => {
      if (!isOurs(stats, toOthers) || stats.size > maxBytes) return undefined;
      const bytes = readUpTo(file, { most: maxBytes + 1, expected: stats.size });
      return bytes.length > maxBytes ? undefined : { bytes, stats };
    });
  } catch {
    return undefined;
  }
}

/** Replaces the file in one step, so readers never see half of it. `temporary`: a name that only this process uses. */
export function writeOwnFile(path: string, temporary: string, text: string): void {
  fileSystem.rmSync(temporary, { force: true });
  fileSystem.writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
  fileSystem.renameSync(temporary, path);
}

/** Makes the folder if needed. Returns whether it is a folder of ours and no link. */
export function makeOwnFolder(folder: string, toOthers: AccessForOthers): boolean {
  try {
    fileSystem.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = fileSystem.lstatSync(folder);
    return found.isDirectory() && isOurs(found, toOthers);
  } catch {
    return false;
  }
}

/** Checks only the mode on systems whose files have no owners. */
function isOurs({ uid, mode }: Stats, toOthers: AccessForOthers): boolean {
  if (process.getuid !== undefined && uid !== process.getuid()) return false;
  return (mode & (toOthers === 'closed' ? 0o077 : 0o022)) === 0;
}

const prefix = 'thread-';

/** A thread's folder. The first call of `path` makes it, or throws if the disk refuses. Commands only read `parent`. */
export function lazyThreadFolder(parent: string) {
  let own: string | undefined;
  const make = (): string => {
    if (!makeOwnFolder(parent, 'readable')) throw new Error(`${parent} is open to others.`);
    removeFoldersOfDeadProcesses(parent, prefix);
    const made = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
    if (folders.size === 0) process.on('exit', removeAll);
    folders.add(made);
    return made;
  };
  return {
    path: (): string => (own ??= make()),
    remove(): void {
      if (own !== undefined) remove(own);
      own = undefined;
      if (folders.size === 0) process.off('exit', removeAll);
    },
  };
}

const folders = new Set<string>();

function remove(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

function removeAll(): void {
  for (const folder of folders) remove(folder);
}
