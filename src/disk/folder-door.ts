import { basename, dirname, normalize } from 'node:path';
import { fileSystem as fs, linkTarget } from './file-system.ts';
import { realPath } from './folders.ts';
import { diskPath } from './path-bytes.ts';

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
    { above, doors = hasDoors() }: { readonly above?: FolderDoor; readonly doors?: boolean } = {},
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
export function inFolder<Result>(
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
export function hasDoors(): boolean {
  return (doors ??= process.platform === 'linux' && fs.existsSync('/proc/self/fd'));
}
