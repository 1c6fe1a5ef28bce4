import { basename, dirname } from 'node:path';
import { errorCode, fileSystem as fs } from '../disk/file-system.ts';
import { assertInPlace, FolderDoor, hasDoors, inFolder, O_PATH } from '../disk/folder-door.ts';
import { freeName, realPath } from '../disk/folders.ts';
import { diskPath, mayBeOdd } from '../disk/path-bytes.ts';
import { readUpTo, withRegular } from '../disk/regular-file.ts';
import { trueEntries } from '../disk/true-entries.ts';
import {
  type EntrySight,
  type Expected,
  type IsExpected,
  mostNames,
  pathIn,
  type OpenFolder,
  type WorkspaceDisk,
} from './disk.ts';

/**
 * The disk of this machine. Whatever looks at it or changes it goes through an open door of the folder: a command that
 * runs meanwhile may put a link in the place of a folder, and neither a snapshot nor a restore must follow it out of the
 * workspace.
 */
export const nodeWorkspaceDisk: WorkspaceDisk = {
  open: (folder) => openFolder(folder),
  realPath,
  putFile(path, content, mode, expected) {
    return replace(path, expected, (beside) => {
      const file = fs.openSync(beside, 'wx', 0o600);
      try {
        fs.writeFileSync(file, content);
        fs.fchmodSync(file, mode);
        fs.fsyncSync(file);
      } finally {
        fs.closeSync(file);
      }
    });
  },
  putLink: (path, target, expected) => replace(path, expected, (beside) => fs.symlinkSync(target, beside)),
  makeFolder(path, mode) {
    inFolder(path, (name) => {
      fs.mkdirSync(name);
      setMode(name, mode);
    });
  },
  removeFolder: (path) => inFolder(path, (name) => fs.rmdirSync(name)),
  remove(path, expected) {
    return inFolder(path, (name, _, door) => removeExpected(name, { door, at: dirname(path), expected }));
  },
  setMode: (path, mode) => inFolder(path, (name) => setMode(name, mode)),
};

/** Of the file or folder itself: one that was swapped for a link keeps the mode of what it leads to. */
function setMode(path: string, mode: number): void {
  if (!hasDoors()) return fs.chmodSync(path, mode);
  const file = fs.openSync(path, O_PATH | fs.constants.O_NOFOLLOW);
  try {
    fs.chmodSync(`/proc/self/fd/${file}`, mode);
  } finally {
    fs.closeSync(file);
  }
}

/** `doors` is what this system has. */
export function openFolder(path: string, doors = hasDoors()): OpenFolder {
  return new NodeFolder(path, new FolderDoor(path, { doors }));
}

class NodeFolder implements OpenFolder {
  readonly #path: string;
  readonly #place: string;
  readonly #door: FolderDoor;

  constructor(path: string, door: FolderDoor) {
    this.#path = path;
    this.#place = door.place;
    this.#door = door;
  }

  enter(name: string): OpenFolder {
    const path = pathIn(this.#path, name);
    return new NodeFolder(path, new FolderDoor(path, { above: this.#door, doors: this.#door.isDoor }));
  }

  names(size?: number): readonly string[] {
    const names = listNames(this.#place, { most: mostNames, smallBytes: smallFolderBytes }, size);
    if (!this.#door.isDoor) assertInPlace(this.#path);
    return names;
  }

  look(name: string): EntrySight | undefined {
    return sightOf(`${this.#place}/${name}`);
  }

  glance(name: string): EntrySight | undefined {
    try {
      return sightOf(`${this.#path}/${name}`);
    } catch {
      return undefined;
    }
  }

  read(name: string, maxBytes: number): Uint8Array {
    const path = `${this.#place}/${name}`;
    return withRegular(path, { links: 'refused' }, (file, stats) => {
      if (!this.#door.isDoor) assertInPlace(path, stats);
      const bytes = readUpTo(file, { most: maxBytes + 1, expected: Math.min(stats.size, maxBytes) });
      if (bytes.length > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
      return bytes;
    });
  }

  readLink(name: string): string {
    const path = `${this.#place}/${name}`;
    const target = fs.readlinkSync(path);
    if (!this.#door.isDoor) assertInPlace(this.#path);
    return target;
  }

  close(): void {
    this.#door.close();
  }
}

/** A folder whose own entry is smaller than this has few names, on every file system. */
const smallFolderBytes = 400_000;

interface ListLimits {
  readonly most: number;
  readonly smallBytes: number;
}

/** `size`: of the folder's own entry. */
export function listNames(folder: string, limits: ListLimits, size = fs.statSync(folder).size): readonly string[] {
  const names = namesAsRead(folder, limits, size);
  return names.some(mayBeOdd) ? trueEntries(folder, limits.most).map(({ name }) => name) : names;
}

function namesAsRead(folder: string, { most, smallBytes }: ListLimits, size: number): readonly string[] {
  // All at once is faster, but cannot be stopped.
  if (size < smallBytes) return fs.readdirSync(folder);
  const names: string[] = [];
  const open = fs.opendirSync(folder, { bufferSize: 1024 });
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (names.push(entry.name) > most) throw new Error(`it holds more than ${most} names`);
    }
  } finally {
    open.closeSync();
  }
  return names;
}

function sightOf(path: string): EntrySight | undefined {
  const found = statOf(path);
  return (
    found && {
      kind: kindOf(found),
      mode: found.mode & 0o7777,
      size: found.size,
      modifiedAt: found.mtimeMs,
      changedAt: found.ctimeMs,
      number: found.ino,
    }
  );
}

/** Where a part of the path is no folder there is nothing either. */
function statOf(path: string) {
  try {
    return fs.lstatSync(diskPath(path), { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): EntrySight['kind'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  return found.isSymbolicLink() ? 'link' : 'other';
}

/** Makes something beside the path and gives it the path's name when it is whole. */
function replace(path: string, expected: Expected, make: (beside: string) => void): boolean {
  return inFolder(path, (name, folder, door) => {
    const beside = freeName(folder);
    try {
      make(beside);
      if (expected === 'nothing') return moveToFree(beside, name);
      return exchange(beside, name, { door, at: dirname(path), expected });
    } finally {
      fs.rmSync(beside, { force: true });
    }
  });
}

interface Asked {
  readonly door: FolderDoor;
  /** The path of the folder. */
  readonly at: string;
  readonly expected: IsExpected;
}

function isExpectedAt(place: string, { door, at, expected }: Asked): boolean {
  return expected(new NodeFolder(at, door), basename(place));
}

/**
 * The name is never without a file. A second name holds the old one until it is certain that no program wrote into it;
 * only a file that takes its place between two system calls is not seen.
 */
function exchange(beside: string, name: string, asked: Asked): boolean {
  const aside = freeName(asked.door.place);
  if (!linkFile(name, aside)) {
    if (!isExpectedAt(name, asked)) return false;
    fs.renameSync(beside, name);
    return true;
  }
  try {
    const before = fs.lstatSync(aside);
    if (!isExpectedAt(aside, asked)) return false;
    // Many programs save by giving a new file the old name.
    if (fs.lstatSync(name, { throwIfNoEntry: false })?.ino !== before.ino) return false;
    fs.renameSync(beside, name);
    const after = fs.lstatSync(aside);
    if (after.size === before.size && after.mtimeMs === before.mtimeMs && after.mode === before.mode) return true;
    fs.renameSync(aside, name);
    return false;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

function removeExpected(name: string, asked: Asked): boolean {
  const aside = freeName(asked.door.place);
  fs.renameSync(name, aside);
  const putBack = (): void => {
    if (moveToFree(aside, name)) return;
    throw new Error(`another file took its place; the changed file is now ${basename(aside)} in the same folder`);
  };
  let isExpected: boolean;
  try {
    isExpected = isExpectedAt(aside, asked);
  } catch (error) {
    putBack();
    throw error;
  }
  if (isExpected) fs.unlinkSync(aside);
  else putBack();
  return isExpected;
}

/** False: something else has the name. */
function moveToFree(from: string, name: string): boolean {
  if (linkFile(from, name)) {
    fs.unlinkSync(from);
    return true;
  }
  if (fs.lstatSync(name, { throwIfNoEntry: false }) !== undefined) return false;
  fs.renameSync(from, name);
  return true;
}

/** Gives a regular file a second name. Not every disk can, nor for every file; then false, as when the name is taken. */
function linkFile(from: string, name: string): boolean {
  try {
    if (!fs.lstatSync(from).isFile()) return false;
    fs.linkSync(from, name);
    return true;
  } catch {
    return false;
  }
}
