/**
 * What snapshots need of a workspace's disk. Calls are blocking, each a matter of microseconds, and follow no link in
 * the last component. They throw Node's error objects.
 */
export interface WorkspaceDisk {
  /** Names in a folder, in no order. Refuses a folder with more than `mostNames`. */
  list(folder: string): readonly string[];
  look(path: string): EntrySight | undefined;
  /** The whole file. Refuses anything that is no regular file, and a file that is larger. */
  read(path: string, maxBytes: number): Uint8Array;
  readLink(path: string): string;
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
  remove(path: string, expected: (place: string) => boolean): boolean;
  /** Of a folder. */
  setMode(path: string, mode: number): void;
}

/**
 * Asked about what is to go, at the last moment: someone may save a file while others are replaced. The file may have
 * another name by then, so the name comes with the question.
 */
export type Expected = 'nothing' | ((place: string) => boolean);

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
