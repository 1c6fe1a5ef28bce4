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
