import { valueOr } from '../../base/objects.ts';
import {
  toNodePath,
  errorCode,
  freeTemporaryPath,
  fileSystem as fs,
  mayHaveReplacedBytes,
  realPath,
} from '../../adapters/disk/file-system.ts';
import {
  assertNotMoved,
  FolderHandle,
  hasFolderHandles,
  O_PATH,
  listExactEntries,
  withFolderHandle,
} from '../../adapters/disk/folder-access.ts';
import { readUpTo, withRegularFile } from '../../adapters/disk/regular-files.ts';
import { basename, dirname } from 'node:path';

/**
 * Disk access for snapshots. Calls block for microseconds and throw Node's error objects. Paths of folders are absolute
 * and without links; no call follows a link, because concurrent commands may create some.
 */
export interface WorkspaceDisk {
  /** Throws if the path leads to no folder or through a link. The caller closes it. */
  open(folder: string): OpenFolder;
  /** Resolves links; undefined if the path leads nowhere. */
  realPath(path: string): string | undefined;
  /**
   * Creates or replaces the file completely or not at all; it never replaces a folder. False if the path was not as
   * expected; then nothing changes.
   */
  putFile(path: string, content: Uint8Array, mode: number, expected: ExpectedEntry): boolean;
  putLink(path: string, target: string, expected: ExpectedEntry): boolean;
  makeFolder(path: string, mode: number): void;
  removeFolder(path: string): void;
  /** False if the entry was not as expected; then it stays. */
  remove(path: string, expected: IsExpectedEntry): boolean;
  /** For folders. */
  setMode(path: string, mode: number): void;
}

/** An open folder: reads go to this folder even if its path leads elsewhere by then. Follows no link. */
export interface OpenFolder {
  /** Unordered. Refuses a folder with more than `mostNames`. `size`: of its own entry, if known. */
  names(size?: number): readonly string[];
  /** Opens an inner folder, which may stay open for longer. Throws for anything else. */
  enter(name: string): OpenFolder;
  /** Undefined if nothing is there. The folder itself is `.`. */
  look(name: string): EntryStat | undefined;
  /**
   * Like `look` but by path, which is quicker. It may see something elsewhere, so use it only to recognise known entries.
   * Never throws.
   */
  glance(name: string): EntryStat | undefined;
  /** Reads the whole file. Refuses anything that is no regular file or is larger. */
  read(name: string, maxBytes: number): Uint8Array;
  readLink(name: string): string;
  /** May be called repeatedly. */
  close(): void;
}

export function inOpenFolder<Result>(
  disk: Pick<WorkspaceDisk, 'open'>,
  path: string,
  use: (folder: OpenFolder, name: string) => Result,
): Result {
  const folder = disk.open(dirname(path));
  try {
    return use(folder, basename(path));
  } finally {
    folder.close();
  }
}

export const joinFolderPath = (folder: string, name: string): string =>
  folder === '/' ? `/${name}` : `${folder}/${name}`;
export type ListedFolder = { readonly folder: OpenFolder; readonly names: readonly string[] };

/** Lists the folder's names. Throws, and closes the folder, if that fails. */
export function listFolder(folder: OpenFolder, size?: number): ListedFolder {
  try {
    return { folder, names: folder.names(size) };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** Also closes the folder. */
export function isEmpty(folder: OpenFolder): boolean {
  const { names } = listFolder(folder);
  folder.close();
  return names.length === 0;
}

/**
 * The state that an entry must have right before it is replaced: a user may save it while Capstan replaces others. By
 * then the entry may have another name in its folder, so the check gets the name.
 */
export type ExpectedEntry = 'nothing' | IsExpectedEntry;
export type IsExpectedEntry = (folder: OpenFolder, name: string) => boolean;
/** Folders with more names are left out: listing one would block the process. */
const mostNames = 100_000;

/** Enough to detect a possible change: nothing sets `changedAt` back. */
export interface EntryStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
  /** Last change of anything about it, its times included. */
  readonly changedAt: number;
  readonly number: number;
}

/** Uses a `FolderHandle` for all: no snapshot or restore may follow a link that a command puts in a folder's place. */
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
    withFolderHandle(path, (name) => {
      fs.mkdirSync(name);
      setMode(name, mode);
    });
  },
  removeFolder: (path) => withFolderHandle(path, (name) => fs.rmdirSync(name)),
  remove(path, expected) {
    return withFolderHandle(path, (name, _, door) => removeExpected(name, { door, at: dirname(path), expected }));
  },
  setMode: (path, mode) => withFolderHandle(path, (name) => setMode(name, mode)),
};

/** On Linux, a link that was put in the place of the entry does not redirect this; elsewhere `chmod` follows it. */
function setMode(path: string, mode: number): void {
  if (!hasFolderHandles()) return fs.chmodSync(path, mode);
  const file = fs.openSync(path, O_PATH | fs.constants.O_NOFOLLOW);
  try {
    fs.chmodSync(`/proc/self/fd/${file}`, mode);
  } finally {
    fs.closeSync(file);
  }
}

/** `doors`: whether this system has them. */
export const openFolder = (path: string, doors = hasFolderHandles()): OpenFolder =>
  new NodeFolder(path, new FolderHandle(path, { doors }));

class NodeFolder implements OpenFolder {
  readonly #path: string;
  readonly #place: string;
  readonly #door: FolderHandle;

  constructor(path: string, door: FolderHandle) {
    this.#path = path;
    this.#place = door.place;
    this.#door = door;
  }

  enter(name: string): OpenFolder {
    const path = joinFolderPath(this.#path, name);
    return new NodeFolder(path, new FolderHandle(path, { above: this.#door, doors: this.#door.isDoor }));
  }

  names(size?: number): readonly string[] {
    const names = listNames(this.#place, { most: mostNames, smallBytes: smallFolderBytes }, size);
    if (!this.#door.isDoor) assertNotMoved(this.#path);
    return names;
  }

  look(name: string): EntryStat | undefined {
    return sightOf(`${this.#place}/${name}`);
  }

  glance(name: string): EntryStat | undefined {
    return valueOr(undefined, () => sightOf(`${this.#path}/${name}`));
  }

  read(name: string, maxBytes: number): Uint8Array {
    const path = `${this.#place}/${name}`;
    return withRegularFile(path, { links: 'refused' }, (file, stats) => {
      if (!this.#door.isDoor) assertNotMoved(path, stats);
      const bytes = readUpTo(file, { most: maxBytes + 1, expected: Math.min(stats.size, maxBytes) });
      if (bytes.length > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
      return bytes;
    });
  }

  readLink(name: string): string {
    const path = `${this.#place}/${name}`;
    const target = fs.readlinkSync(path);
    if (!this.#door.isDoor) assertNotMoved(this.#path);
    return target;
  }

  close(): void {
    this.#door.close();
  }
}

/** On every file system, a folder with a smaller entry has few names. */
const smallFolderBytes = 400_000;
type ListLimits = Readonly<Record<'most' | 'smallBytes', number>>;

/** `size`: of the folder's own entry. */
export function listNames(folder: string, limits: ListLimits, size = fs.statSync(folder).size): readonly string[] {
  const names = namesAsRead(folder, limits, size);
  return names.some(mayHaveReplacedBytes) ? listExactEntries(folder, limits.most).map(({ name }) => name) : names;
}

function namesAsRead(folder: string, { most, smallBytes }: ListLimits, size: number): readonly string[] {
  // Reading all at once is faster, but cannot be stopped.
  if (size < smallBytes) return fs.readdirSync(folder);
  const names: string[] = [];
  const open = fs.opendirSync(folder, { bufferSize: 1024 });
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync())
      if (names.push(entry.name) > most) throw new Error(`it holds more than ${most} names`);
  } finally {
    open.closeSync();
  }
  return names;
}

/** Undefined also if a part of the path is no folder. */
function sightOf(path: string): EntryStat | undefined {
  try {
    const found = fs.lstatSync(toNodePath(path), { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const { size, mtimeMs: modifiedAt, ctimeMs: changedAt, ino: number } = found;
    return { kind: kindOf(found), mode: found.mode & 0o7777, size, modifiedAt, changedAt, number };
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): EntryStat['kind'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  return found.isSymbolicLink() ? 'link' : 'other';
}

/** Creates a temporary file beside the path and renames it once complete. */
function replace(path: string, expected: ExpectedEntry, make: (beside: string) => void): boolean {
  return withFolderHandle(path, (name, folder, door) => {
    const beside = freeTemporaryPath(folder);
    try {
      make(beside);
      if (expected === 'nothing') return moveToFree(beside, name);
      return exchange(beside, name, { door, at: dirname(path), expected });
    } finally {
      fs.rmSync(beside, { force: true });
    }
  });
}

type Asked = { readonly door: FolderHandle; readonly at: string; readonly expected: IsExpectedEntry };

const isExpectedAt = (place: string, { door, at, expected }: Asked): boolean =>
  expected(new NodeFolder(at, door), basename(place));

/**
 * Replaces a file without a moment in which its name is free. A second name keeps the old file until Capstan knows that
 * no program wrote into it. Only a file that takes the name between two system calls is lost unnoticed.
 */
function exchange(beside: string, name: string, asked: Asked): boolean {
  const aside = freeTemporaryPath(asked.door.place);
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
  const aside = freeTemporaryPath(asked.door.place);
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

/** Gives a regular file a second name. False if the disk or the file does not allow it, or the name is taken. */
function linkFile(from: string, name: string): boolean {
  try {
    if (!fs.lstatSync(from).isFile()) return false;
    fs.linkSync(from, name);
    return true;
  } catch {
    return false;
  }
}
