import {
  diskPath,
  fileSystem,
  fileSystem as fs,
  isMissing,
  linkTarget,
  mayBeOdd,
  pathText,
  realPath,
} from './file-system.ts';
import type { Dirent } from 'node:fs';
import { basename, dirname, normalize } from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;

/** Opens a folder for its name alone, which needs no right to list it. Linux has it; Node has no name for it. */
export const O_PATH = 0o10000000;

/**
 * A folder that is held open. Commands may run at the same time, and one of them could put a link where a folder was
 * after the policy was asked: what is reached through the door is in the folder that was meant, or there is no door.
 */
export class FolderDoor {
  /** Leads to the folder whatever its path leads to by now; where there are no doors, its path. */
  readonly place: string;
  readonly #door: number | undefined;
  #isClosed = false;

  /**
   * The path of the folder is absolute and without links. Throws where something else stands there. `above`: an open door
   * of the folder that it is in, which is quicker.
   */
  constructor(
    folder: string,
    { above, doors = hasFolderDoors() }: { readonly above?: FolderDoor; readonly doors?: boolean } = {},
  ) {
    if (!doors) {
      this.place = folder;
      return;
    }
    const path = above === undefined ? folder : `${above.place}/${basename(folder)}`;
    this.#door = fs.openSync(diskPath(path), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    this.place = `/proc/self/fd/${this.#door}`;
    try {
      // A link above it would lead elsewhere, too.
      if (above === undefined && linkTarget(this.place) !== folder) throw new Error(movedAway);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** False where there are no doors. */
  get isDoor(): boolean {
    return this.#door !== undefined;
  }

  /** Its number may belong to another file afterwards, so it is closed once. */
  close(): void {
    if (this.#door === undefined || this.#isClosed) return;
    this.#isClosed = true;
    fs.closeSync(this.#door);
  }
}

const movedAway = 'its folder was moved or replaced in the meantime';

/** Does something in the folder of a place through an open door of that folder. */
export function withFolderDoor<Result>(
  place: string,
  use: (name: string, folder: string, door: FolderDoor) => Result,
): Result {
  const door = new FolderDoor(dirname(place));
  try {
    return use(door.isDoor ? `${door.place}/${basename(place)}` : place, door.place, door);
  } finally {
    door.close();
  }
}

/**
 * Where there are no doors, asked after something was opened or listed: throws if a link stands on the way to the path,
 * or if what was opened is not what stands there.
 */
export function assertInPlace(path: string, opened?: { readonly dev: number; readonly ino: number }): void {
  const found = opened && fs.lstatSync(diskPath(path));
  const isSame = opened?.dev === found?.dev && opened?.ino === found?.ino;
  if (!isSame || realPath(path) !== normalize(path)) throw new Error(movedAway);
}

let doors: boolean | undefined;

/** Only Linux lets a program name what is in a folder that it holds open. */
export function hasFolderDoors(): boolean {
  return (doors ??= process.platform === 'linux' && fs.existsSync('/proc/self/fd'));
}

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
