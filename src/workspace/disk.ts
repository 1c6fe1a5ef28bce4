import { basename, dirname } from 'node:path';

/**
 * What snapshots need of a workspace's disk. Calls are blocking, each a matter of microseconds. They throw Node's error
 * objects. Paths of folders are absolute and without links: commands that run meanwhile may put links there, and no call
 * follows one.
 */
export interface WorkspaceDisk {
  /** Throws where the path leads to no folder, or through a link. The caller closes it. */
  open(folder: string): OpenFolder;
  /** Where the path leads when its links are followed; undefined when it leads nowhere. */
  realPath(path: string): string | undefined;
  /**
   * Puts a file in the place of what is there, which must be no folder. Either all of it is there afterwards or nothing
   * changed. False: the place was not as expected, and stays as it is.
   */
  putFile(path: string, content: Uint8Array, mode: number, expected: Expected): boolean;
  putLink(path: string, target: string, expected: Expected): boolean;
  makeFolder(path: string, mode: number): void;
  removeFolder(path: string): void;
  /** False: what is there is not what was expected, and stays. */
  remove(path: string, expected: IsExpected): boolean;
  /** Of a folder. */
  setMode(path: string, mode: number): void;
}

/** A folder that is held open: what is seen and read is in it, whatever its path leads to by then. No link is followed. */
export interface OpenFolder {
  /** In no order. Refuses a folder with more than `mostNames`. `size`: of its own entry, if it was looked at just before. */
  names(size?: number): readonly string[];
  /** A folder in it, which may stay open for longer. Throws where there is something else. */
  enter(name: string): OpenFolder;
  /** Undefined: there is nothing. The folder itself is `.`. */
  look(name: string): EntrySight | undefined;
  /**
   * The same by the path of the folder, which is quicker. It may be the sight of something elsewhere, so it only serves to
   * recognise what is known. Throws nothing.
   */
  glance(name: string): EntrySight | undefined;
  /** The whole file. Refuses anything that is no regular file, and a file that is larger. */
  read(name: string, maxBytes: number): Uint8Array;
  readLink(name: string): string;
  /** Any number of times. */
  close(): void;
}

/** Opens the folder of a path for one use. */
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

/** The path of what is in a folder, as it counts as its own. */
export function pathIn(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

export interface ListedFolder {
  readonly folder: OpenFolder;
  readonly names: readonly string[];
}

/** With its names. Closes what cannot be listed, and throws. */
export function listed(folder: OpenFolder, size?: number): ListedFolder {
  try {
    return { folder, names: folder.names(size) };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** Closes it. */
export function isEmpty(folder: OpenFolder): boolean {
  const { names } = listed(folder);
  folder.close();
  return names.length === 0;
}

/**
 * Asked about what is to go, at the last moment: someone may save a file while others are replaced. The file may have
 * another name in its folder by then, so the name comes with the question.
 */
export type Expected = 'nothing' | IsExpected;

export type IsExpected = (folder: OpenFolder, name: string) => boolean;

/** A folder with more names is left out: looking at them all at once would hold the process up. */
export const mostNames = 100_000;

/** Enough to know whether something may have changed: nothing sets `changedAt` back. */
export interface EntrySight {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
  /** When anything about it changed last, its times included. */
  readonly changedAt: number;
  readonly number: number;
}
