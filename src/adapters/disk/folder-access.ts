import {
  toNodePath,
  fileSystem as fs,
  isMissing,
  linkTarget,
  mayHaveReplacedBytes,
  pathText,
  realPath,
} from './file-system.ts';
import type { Dirent } from 'node:fs';
import { basename, dirname, normalize } from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;
export const O_PATH = 0o10000000;

/**
 * Holds a folder open. A concurrent command could replace the folder by a link after Capstan has asked the policy about
 * it. Entries reached through the door are in the intended folder; if it was replaced before, the constructor throws.
 */
export class FolderHandle {
  readonly place: string;
  readonly #door: number | undefined;
  #isClosed = false;

  /** The path must be absolute and without links. `above`: an open door of the parent folder, which is quicker. */
  constructor(
    folder: string,
    { above, doors = hasFolderHandles() }: { readonly above?: FolderHandle; readonly doors?: boolean } = {},
  ) {
    if (!doors) {
      this.place = folder;
      return;
    }
    const path = above === undefined ? folder : `${above.place}/${basename(folder)}`;
    this.#door = fs.openSync(toNodePath(path), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    this.place = `/proc/self/fd/${this.#door}`;
    try {
      // `O_NOFOLLOW` refuses only a link at the end of the path: one further up may have led elsewhere.
      if (above === undefined && linkTarget(this.place) !== folder) throw new Error(movedAway);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get isDoor(): boolean {
    return this.#door !== undefined;
  }

  /** Closes the descriptor only once: its number may belong to another file afterwards. */
  close(): void {
    if (this.#door === undefined || this.#isClosed) return;
    this.#isClosed = true;
    fs.closeSync(this.#door);
  }
}

const movedAway = 'its folder was moved or replaced in the meantime';

export function withFolderHandle<Result>(
  place: string,
  use: (name: string, folder: string, door: FolderHandle) => Result,
) {
  const door = new FolderHandle(dirname(place));
  try {
    return use(door.isDoor ? `${door.place}/${basename(place)}` : place, door.place, door);
  } finally {
    door.close();
  }
}

/** For systems without doors, after opening or listing. Throws if the path has a link or leads to another file now. */
export function assertNotMoved(path: string, opened?: { readonly dev: number; readonly ino: number }): void {
  const found = opened && fs.lstatSync(toNodePath(path));
  const isSame = opened?.dev === found?.dev && opened?.ino === found?.ino;
  if (!isSame || realPath(path) !== normalize(path)) throw new Error(movedAway);
}

let doors: boolean | undefined;
/** Only Linux can name the entries of a folder that is held open. */
export const hasFolderHandles = (): boolean =>
  (doors ??= process.platform === 'linux' && fs.existsSync('/proc/self/fd'));
export type NamedEntry = Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink' | 'isSocket'>;

/** Returns the entries unchanged, or lists the folder again if some names may not be the true ones. */
export const withExactNames = (entries: readonly NamedEntry[], folder: string, most?: number): readonly NamedEntry[] =>
  entries.some(({ name }) => mayHaveReplacedBytes(name)) ? listExactEntries(folder, most) : entries;

/** Lists at most `most` entries with their true names. Throws what Node throws. */
export function listExactEntries(folder: string, most = Number.POSITIVE_INFINITY): readonly NamedEntry[] {
  // In this encoding one character is one byte.
  const found = readEntries(folder, most, 'latin1');
  return found.map((entry) => Object.assign(entry, { name: pathText(Buffer.from(entry.name, 'latin1')) }));
}

/** Reads at most `most` entries. Throws what Node throws. */
export function readEntries(folder: string, most: number, encoding: BufferEncoding = 'utf8'): readonly Dirent[] {
  const found: Dirent[] = [];
  const open = fs.opendirSync(toNodePath(folder), { encoding, bufferSize: 256 });
  try {
    for (let entry = open.readSync(); entry !== null && found.length < most; entry = open.readSync()) found.push(entry);
  } finally {
    open.closeSync();
  }
  return found;
}

/** Linux takes 4,095 bytes. The sandbox needs the rest: it prefixes paths and names protected files below them. */
const mostBytes = 4000;

/** A sandbox may be unable to name the entries of such a folder. Programs reach them by relative names. */
export const isPathTooLong = (folder: string): boolean =>
  folder.length * 3 > mostBytes && Buffer.byteLength(folder) > mostBytes;

export function cannotBeSeen(path: string): boolean {
  try {
    fs.lstatSync(toNodePath(path), { throwIfNoEntry: false });
    return false;
  } catch (error) {
    return !isMissing(error);
  }
}
