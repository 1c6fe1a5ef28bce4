import { fileSystem, isMissing } from './file-system.ts';
import { diskPath } from './path-bytes.ts';

/** Linux takes 4,095 bytes. A sandbox puts names of its own before a path, and protected names stand below it. */
const mostBytes = 4000;

/** Whether a sandbox may be unable to name what is in the folder. Programs reach it by relative names. */
export function isOverlong(folder: string): boolean {
  return folder.length * 3 > mostBytes && Buffer.byteLength(folder) > mostBytes;
}

/** Whether something may stand at the path that this process cannot look at. */
export function isOutOfSight(path: string): boolean {
  try {
    fileSystem.lstatSync(diskPath(path), { throwIfNoEntry: false });
    return false;
  } catch (error) {
    return !isMissing(error);
  }
}
