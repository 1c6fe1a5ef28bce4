import type { Outcome } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/permissions.ts';

/**
 * What the journal needs of a disk. Bytes count as safe only after `sync` of the file, and a new name only after
 * `syncDirectory` of its folder: the simulated disk of `capstan/testing` takes everything else away.
 * All methods reject with Node's error objects (`code` such as ENOSPC) when the disk refuses.
 */
export interface Files {
  /** Makes the folder and its parents. An existing one is fine. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Opens for reading and appending. Without `create` a missing file rejects with ENOENT. */
  open(path: string, options: { readonly create: boolean; readonly mode: number }): Promise<OpenFile>;
  /** Opens for reading only, which a read-only disk allows too. A missing file rejects with ENOENT. */
  openToRead(path: string): Promise<OpenFile>;
  /** Names in the folder, in no order; empty when the folder does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** When the file was last written, in milliseconds since the Unix epoch; undefined when there is none. */
  modified(path: string): Promise<number | undefined>;
  /** What the system says about the file; undefined when there is none. */
  describe(path: string): Promise<FileFacts | undefined>;
  /** Changes when the file counts as last written, and who may read it. */
  setFacts(path: string, facts: Pick<FileFacts, 'modified' | 'mode'>): Promise<void>;
  /** Gives the file a second name. Rejects with EEXIST when something has that name. Lasts when the folder is synced. */
  link(path: string, name: string): Promise<void>;
  /** Gives the file another name, in place of nothing: the caller has seen to that. Lasts when both folders are synced. */
  move(from: string, to: string): Promise<void>;
  /** A file that is not there is fine. Lasts when the folder is synced. */
  remove(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Whether a folder has been there so long that no crash takes its name away. Absent: that is not known of any. */
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
  /** Up to `length` bytes from `position`; fewer only at the end of the file. They may lie in `memory`, if that is given. */
  read(position: number, length: number, memory?: Uint8Array): Promise<Uint8Array>;
  /** Writes all bytes at the end, or rejects; after a rejection an unknown prefix may have been written. */
  append(bytes: Uint8Array): Promise<void>;
  truncate(size: number): Promise<void>;
  /** The file's bytes are on the disk when this resolves. */
  sync(): Promise<void>;
  /** Whether the file still has a name: bytes of one that was removed are gone when it is closed. */
  isNamed(): Promise<boolean>;
  close(): Promise<void>;
  /** Bytes that a line may have, where that depends on the file. */
  readonly longestLine?: number;
  /** Lines that have more, known once `size` was asked for. */
  tooLong?(): readonly ByteRange[];
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A lock that the operating system drops when its holder dies. */
export interface Locks {
  /** Takes the lock on the file, which is made if missing, its folder too, or says who has it. Never waits for the holder. */
  take(path: string): Promise<Lock | LockHeld>;
  /**
   * The same for a file whose name no other process can know yet. It holds at once among processes of Capstan, and a
   * moment later for other programs: a start does not wait until a program has locked it.
   */
  takeNew(path: string): Promise<Lock | LockHeld>;
}

export interface Lock {
  readonly kind: 'lock';
  /** Larger than that of every lock on the file before. */
  readonly epoch: number;
  /** Whether another process may hold it instead: the file was removed meanwhile, and made again. */
  isLost(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockHeld {
  readonly kind: 'held';
  /** What the holder wrote about itself, if anything. */
  readonly owner?: string;
}

/**
 * What the code of patches needs of a disk. A *place* is an absolute path without links in it: where a path leads to.
 * All methods are synchronous, so that two patches of one process never mix, and throw Node's error objects.
 */
export interface PatchView {
  look(place: string): PlaceState;
  /** The whole file. Refuses anything that is no regular file. */
  read(place: string): Uint8Array;
}

/**
 * What stands at a place, not followed when it is a link. `since` says since when it has been as it is, in milliseconds:
 * the change time of a file or link, and of a folder when names in it last came or went. Absent for what is not on the
 * disk yet.
 */
export type PlaceState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'folder'; readonly since?: number }
  | { readonly kind: 'link'; readonly target: string; readonly since?: number }
  /** `identity` is the same for all names of one file. */
  | { readonly kind: 'file'; readonly identity: string; readonly mode: number; readonly since?: number }
  /** A device, a pipe, a socket. */
  | { readonly kind: 'other' };

export interface PatchDisk extends PatchView {
  /** Makes one folder in one that exists. */
  makeFolder(place: string): void;
  /** Removes an empty folder. */
  removeFolder(place: string): void;
  /** Makes a file that must not exist yet. After a failure nothing is left of it. */
  create(place: string, content: Uint8Array, mode: number | undefined): void;
  /** Replaces the content of a file and keeps the file itself. After a failure the content may be anything. */
  overwrite(place: string, content: Uint8Array): void;
  /** Gives a file, or a link, another, unused name in its folder, and returns it. */
  setAside(place: string): string;
  rename(place: string, to: string): void;
  remove(place: string): void;
}

/** Searches a folder for the model: what git ignores and what the policy denies is left out, and links are not followed. */
export interface SearchFiles {
  /** Files and folders by letters of their paths, the best first. */
  names(search: NamesSearch): Promise<NamesFound | Outcome>;
  /** Lines of files that hold text. */
  lines(search: ContentsSearch): Promise<ContentsFound | Outcome>;
}

interface SearchPlace {
  /** Absolute. */
  readonly folder: string;
  readonly policy: ResolvedPolicy;
  readonly signal: AbortSignal;
}

interface NamesSearch extends SearchPlace {
  /** Letters of the path, in their order. Empty: all that are meant. */
  readonly typed: string;
  /** False for files and folders that are left out, by their paths below the folder. */
  isMeant(path: string): boolean;
}

interface ContentsSearch extends SearchPlace {
  matches(line: string): boolean;
  /** Whether a file is looked into, by its path below the folder. */
  isMeant(path: string): boolean;
}

export interface NamesFound {
  readonly files: readonly { readonly path: string; readonly kind: 'file' | 'folder' }[];
  /** How many fit, those that are not given included. */
  readonly total: number;
  /** Some folders were not looked into. */
  readonly isPartial: boolean;
}

export interface ContentsFound {
  readonly lines: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  readonly files: number;
  /** Files that are too large to be looked into. */
  readonly skipped: number;
  /** What ended the search before all was seen. Absent: nothing did. */
  readonly ended?: 'limit' | 'time' | 'entries';
}
