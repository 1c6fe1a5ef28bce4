import type { Outcome } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/permissions.ts';

/**
 * The journal's disk. Bytes are safe only after `sync` of the file, and a new name only after `syncDirectory` of its
 * folder: the simulated disk of `capstan/testing` discards all else. Methods reject with Node's error objects.
 */
export interface JournalDisk {
  /** Creates parents as well. An existing folder is fine. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Opens for reading and appending. Without `create` a missing file rejects with ENOENT. */
  open(path: string, options: { readonly create: boolean; readonly mode: number }): Promise<OpenFile>;
  /** Opens for reading only, which a read-only disk allows too. A missing file rejects with ENOENT. */
  openToRead(path: string): Promise<OpenFile>;
  /** Names in the folder, unordered; empty when the folder does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** The last write in milliseconds since the Unix epoch; undefined when the file does not exist. */
  modified(path: string): Promise<number | undefined>;
  describe(path: string): Promise<FileFacts | undefined>;
  setFacts(path: string, facts: Pick<FileFacts, 'modified' | 'mode'>): Promise<void>;
  /** Adds a second name to the file. Rejects with EEXIST when the name is taken. Durable once the folder is synced. */
  link(path: string, name: string): Promise<void>;
  /** Renames the file. The caller must have checked that the new name is free. Durable once both folders are synced. */
  move(from: string, to: string): Promise<void>;
  /** A missing file is fine. Durable once the folder is synced. */
  remove(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** True for a folder so old that no crash can remove its name. Absent: unknown for every folder. */
  isOld?(path: string): boolean;
}

export interface FileFacts {
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly modified: number;
  /** Permission bits only. */
  readonly mode: number;
}

export interface OpenFile {
  size(): Promise<number>;
  /** Up to `length` bytes from `position`; fewer only at the end of the file. The result may be a part of `memory`. */
  read(position: number, length: number, memory?: Uint8Array): Promise<Uint8Array>;
  /** Writes all bytes at the end, or rejects; after a rejection an unknown prefix may have been written. */
  append(bytes: Uint8Array): Promise<void>;
  truncate(size: number): Promise<void>;
  /** The file's bytes are on the disk when this resolves. */
  sync(): Promise<void>;
  /** False if the file was removed: its bytes are lost when it is closed. */
  isNamed(): Promise<boolean>;
  close(): Promise<void>;
  /** Most bytes of a line, where that depends on the file. */
  readonly longestLine?: number;
  /** Lines with more bytes than that; known once `size` was called. */
  tooLong?(): readonly ByteRange[];
}

export type ByteRange = { readonly start: number; readonly end: number };

/** A lock that the operating system releases when its holder dies. */
export interface Locks {
  /** Takes the lock on the file, or says who holds it; makes a missing file and folder. Never waits. */
  take(path: string): Promise<Lock | LockHeld>;
  /**
   * `take` for a file whose name no other process knows yet. Capstan's processes respect the lock at once, other
   * programs a moment later.
   */
  takeNew(path: string): Promise<Lock | LockHeld>;
}

export interface Lock {
  readonly kind: 'lock';
  /** Larger than that of every earlier lock on the file. */
  readonly epoch: number;
  /** True if another process may hold the lock, because the file was removed and made again. */
  isLost(): Promise<boolean>;
  release(): Promise<void>;
}

export type LockHeld = { readonly kind: 'held'; readonly owner?: string };

/** Synchronous, so that two patches never mix; throws Node's errors. A *place* is an absolute path without links. */
export interface PatchFileReader {
  look(place: string): PathState;
  /** The whole file. Refuses anything that is no regular file. */
  read(place: string): Uint8Array;
}

/** Links are not followed. `since`: last change in milliseconds, for a folder of its names. Absent: not on disk yet. */
export type PathState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'folder'; readonly since?: number }
  | { readonly kind: 'link'; readonly target: string; readonly since?: number }
  /** `identity` is the same for all names of one file. */
  | { readonly kind: 'file'; readonly identity: string; readonly mode: number; readonly since?: number }
  | { readonly kind: 'other' };

export interface PatchDisk extends PatchFileReader {
  /** The parent must exist. */
  makeFolder(place: string): void;
  /** The folder must be empty. */
  removeFolder(place: string): void;
  /** Makes a file that must not exist yet. A failure leaves nothing behind. */
  create(place: string, content: Uint8Array, mode: number | undefined): void;
  /** Replaces the content but keeps the file itself. After a failure the content may be anything. */
  overwrite(place: string, content: Uint8Array): void;
  /** Renames a file or link to an unused name in its folder, and returns that name. */
  setAside(place: string): string;
  rename(place: string, to: string): void;
  remove(place: string): void;
}

/** Searches a folder for the model. Leaves out what git ignores and what the policy denies; does not follow links. */
export interface SearchFiles {
  names(search: NamesSearch): Promise<NamesFound | Outcome>;
  lines(search: ContentsSearch): Promise<ContentsFound | Outcome>;
}

interface FileSearch {
  readonly folder: string;
  readonly policy: ResolvedPolicy;
  readonly signal: AbortSignal;
  /** Takes paths below the folder; false leaves them out. */
  isMeant(path: string): boolean;
}

interface NamesSearch extends FileSearch {
  /** Letters of the path, in order. Empty: everything that `isMeant` accepts. */
  readonly typed: string;
}

type ContentsSearch = FileSearch & { matches(line: string): boolean };

export interface NamesFound {
  readonly files: readonly { readonly path: string; readonly kind: 'file' | 'folder' }[];
  readonly total: number;
  readonly isPartial: boolean;
}

export interface ContentsFound {
  readonly lines: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  readonly files: number;
  readonly skipped: number;
  /** Why the search ended early. Absent: it saw everything. */
  readonly ended?: 'limit' | 'time' | 'entries';
}
