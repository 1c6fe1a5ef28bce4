import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeOwnFolder } from './own-file.ts';
import { sweepFolders } from './processes.ts';

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
