import { closeSync, constants, lstatSync, openSync, readlinkSync, rmdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Removes a folder of this user if it is empty and stands where its path says. A link on the way would lead to a folder
 * elsewhere, and one could be put there while we look: so the folder above is opened, and what was opened is asked for
 * its place.
 */
export function removeEmptyFolder(path: string): void {
  const above = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (readlinkSync(`/proc/self/fd/${above}`) !== dirname(path)) return;
    const folder = `/proc/self/fd/${above}/${basename(path)}`;
    const found = lstatSync(folder, { throwIfNoEntry: false });
    // Never more than an empty folder: something may have been put there in the meantime.
    if (found?.isDirectory() === true && found.uid === process.getuid?.()) rmdirSync(folder);
  } finally {
    closeSync(above);
  }
}
