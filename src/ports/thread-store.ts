import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Line, LineDraft, LineKind } from '../protocol/line.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../protocol/thread.ts';
import type { ByteRange } from './files.ts';
import type { SnapshotContents } from './workspace.ts';

/**
 * Everything that threads keep: the files of a home, or a database that several machines share. Threads are named by
 * id; no path crosses this port. What the store refuses by rule is an outcome. Where it cannot be reached or cannot
 * write, its methods reject with a `Fault`.
 */
export interface ThreadStore {
  readonly rollouts: RolloutStore;
  readonly directory: ThreadDirectory;
  readonly blobs: Blobs;
  readonly contents: SnapshotContents;
}

/** The name of bytes that are kept beside the rollouts: their hash and their number. */
export interface BlobRef {
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
}

/** What is too large for a rollout and was not seen by the model: named by content, kept once, within a budget. */
export interface Blobs {
  /** Keeps the bytes: always, or only if the budget is not used up. Their name is known at once. */
  keep(bytes: Uint8Array, when: 'always' | 'within-budget'): KeptBlob;
  load(sha256: string): Promise<LoadedBlob | BlobMissing>;
}

export interface KeptBlob {
  readonly ref: BlobRef;
  /** False when the budget is used up: then nothing but the name is left. */
  readonly kept: boolean;
  /** Resolves when the bytes are on the disk. Rejects with a Fault when the disk refuses. */
  readonly durable: Promise<void>;
}

export interface LoadedBlob {
  readonly kind: 'blob';
  readonly bytes: Uint8Array;
}

/** Removed, or no longer what its name says. */
export interface BlobMissing extends Outcome<'blob-missing' | 'blob-damaged'> {
  readonly kind: 'missing';
}

/**
 * The rollouts of all threads. Reading needs no lease; writing has one owner (I4). A lease is the right to write one
 * thread. Its epoch is larger than that of every lease of the thread before it. A store may give a lease to another
 * writer when the owner is gone, or has not been heard of for long; what the older one writes afterwards is refused.
 */
export interface RolloutStore {
  /**
   * Takes the lease of a new thread. `meta` is the payload of its first line, which is written with the first
   * append: a thread in which nothing happened leaves nothing. It may be on its way while the lease is taken.
   */
  create(id: ThreadId, meta: JsonObject | Promise<JsonObject>): Promise<Owned | OpenRefused>;
  /**
   * The same for a thread that continues from a place of another: what stands before the place is its history. It is
   * not copied, unless the other is kept in the old form. Needs no lease of the other thread.
   */
  fork(id: ThreadId, meta: JsonObject, from: RolloutPlace): Promise<Owned | OpenRefused>;
  /** Takes the lease of an existing thread and mends its tail. */
  open(id: ThreadId): Promise<Owned | OpenRefused>;
  /** Lines in their order. Those that do not parse are left out and counted in `skipped` of the return value. */
  read(id: ThreadId, options: ReadOptions): AsyncGenerator<Line, ReadReport>;
  /** The same lines, newest first. */
  readBack(id: ThreadId, wanted?: Wanted): AsyncGenerator<Line, ReadReport>;
  /**
   * The first line, and those from the place on that the search finds, in order and many at a time. For a store
   * that goes through its lines once where `readBack` and `read` would do it twice; the others leave it out.
   */
  readTail?(id: ThreadId, search: TailSearch, options: TailOptions): AsyncGenerator<readonly Line[], ReadReport>;
  /** Which rollout is the thread's, active or archived. Needs no lease. */
  current(id: ThreadId): Promise<CurrentRollout | OpenRefused>;
  /**
   * What reverts have put aside and is still there, oldest first; `read` takes its `rolloutId`. A store that cannot say
   * leaves it out.
   */
  aside?(id: ThreadId): Promise<readonly AsideRollout[]>;
  /** Takes the lease of a thread, active or archived, for what is done to it as a whole. */
  hold(id: ThreadId): Promise<HeldThread | OpenRefused>;
}

/** `legacy`: the old form, whose lines have no ordinals. New threads are `paginated`. */
export type HistoryMode = 'paginated' | 'legacy';

/** The rollout that a thread is read from and written to. It has others after a revert. */
export interface CurrentRollout {
  readonly kind: 'current';
  readonly rolloutId: string;
  /** Where it is kept, for people to read. Only the store knows what it means. */
  readonly location: string;
  readonly mode: HistoryMode;
  readonly archived: boolean;
  /** Payload of its first line. */
  readonly meta: JsonObject;
}

/** A rollout of a thread with lines that do not count any more. */
export interface AsideRollout {
  readonly rolloutId: string;
  /** For people to read. */
  readonly location: string;
  /** The first of these lines. What stands before it counts, or belongs to another rollout. */
  readonly from: Ordinal;
}

/** What stands before the line `end` of a thread, as it is read from that rollout. */
export interface RolloutPlace {
  readonly rolloutId: string;
  /** In a legacy rollout, the number of its lines before the place. */
  readonly end: Ordinal;
}

/** A new rollout of a thread, whose history is what stands before a place of an old one. */
export interface Revert {
  readonly rolloutId: string;
  readonly to: RolloutPlace;
  /** Stands under `capstan` in its first line, in place of what stood there; the rest is that of the current one. */
  readonly note: JsonObject;
  /** What stands behind its first line, if anything. */
  readonly drafts: readonly LineDraft[];
}

/** A thread that has no other writer as long as we hold it. After a take-over every change rejects with `lease-lost`. */
export interface HeldThread {
  readonly kind: 'held';
  readonly epoch: number;
  readonly current: CurrentRollout;
  /** Puts a new rollout in place of the current one: all of it, or nothing. The old ones stay. Durable when it resolves. */
  revert(revert: Revert): Promise<CurrentRollout | OpenRefused>;
  /** Puts all rollouts of the thread away, or brings them back: all or none, as far as the store can. */
  archive(): Promise<void>;
  /** `active`: none of them was away. */
  unarchive(): Promise<'unarchived' | 'active'>;
  /** Threads with a rollout that continues from one of this thread's. */
  forks(): Promise<readonly ThreadId[]>;
  /** Removes all rollouts of the thread, even if forks continue from them; gives their locations. */
  delete(): Promise<readonly string[]>;
  release(): Promise<void>;
}

export interface ReadOptions {
  readonly from: Ordinal;
  /** The first line that is not read any more. */
  readonly to?: Ordinal;
  readonly wanted?: Wanted;
  /** One that `aside` has named; default: the current one. */
  readonly rolloutId?: string;
}

/** Finds where reading begins. Lines are shown to it newest first. */
export interface TailSearch {
  /** Which lines it is shown. Asked before each line: the answer may depend on what was shown. */
  wanted(kind: LineKind): boolean;
  /** Reading begins with this line. If it does with none, it begins with the first. */
  beginsAt(line: Line): boolean;
}

export type TailOptions = Omit<ReadOptions, 'from' | 'rolloutId'>;

/** Lines that a reader does not want cost it next to nothing. Where the type of the payload is not known, it must say yes. */
export type Wanted = (kind: LineKind) => boolean;

export interface ReadReport {
  /** Lines that are not JSON objects with a type and a payload. */
  readonly skipped: number;
  /** Those among them that are longer than any program writes, by their places. */
  readonly tooLong?: readonly ByteRange[];
  /** Hashes of blobs that lines refer to and that are not there any more, if any. What stood in them is left out. */
  readonly missingBlobs?: readonly string[];
}

export type OpenRefusedCode =
  | 'thread-unknown'
  | 'thread-archived'
  | 'thread-locked'
  | 'thread-unreadable'
  | 'place-unknown';

export interface OpenRefused extends Outcome<OpenRefusedCode> {
  readonly kind: 'refused';
}

/** Which line it is. */
export type NewestLine = Required<Pick<Line, 'ordinal' | 'timestamp'>>;

/** The lease of one thread, until `close`. */
export interface Owned {
  readonly kind: 'owned';
  readonly epoch: number;
  /** Where lines go, for people to read. Only the store knows what it means. */
  readonly location: string;
  readonly mode: HistoryMode;
  /** Payload of the first line, of a thread that was there before. */
  readonly meta?: JsonObject;
  /** The newest line of a thread that was there before, if the store has seen it and it has an ordinal. Not the first one. */
  readonly newest?: NewestLine;
  /** Bytes of a torn last line that `open` removed, if there were any. */
  readonly torn?: { readonly bytes: number };
  /**
   * Stamps the drafts with time and ordinal and queues them for writing, in order, in the form that the rollout has;
   * gives back every line it queued, the first line of a new thread included. Never waits, never fails: what becomes of
   * the bytes is reported by `durable`.
   */
  append(drafts: readonly LineDraft[]): readonly Line[];
  /**
   * Resolves when every line appended before the call is safe, and what stood there before. Calls that overlap share
   * one sync. Rejects with a `Fault` when the store refuses, with the code `lease-lost` when another writer has taken
   * the thread over. From then on every call rejects, what was not synced counts as lost, and the thread must be opened
   * again.
   */
  durable(): Promise<void>;
  /** Writes what is queued, syncs, gives the lease back unless another writer has it. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Which threads there are, what they are called, and which one a user means. Takes no lease. Progress is about threads
 * that no index knows yet.
 */
export interface ThreadDirectory {
  list(query: ThreadQuery, progress?: WorkProgress): Promise<ThreadPage | Outcome<'cursor-unknown'>>;
  /** Threads with a message of the user or the model that has all of the words. What stands in quotes is one word. */
  search(
    text: string,
    query: ThreadQuery,
    progress?: WorkProgress,
  ): Promise<ThreadHits | Outcome<'cursor-unknown' | 'search-empty'>>;
  /** Active or archived; undefined when there is no such thread. */
  summary(id: ThreadId): Promise<ThreadSummary | undefined>;
  choose(choice: ThreadChoice): Promise<ChosenThread | NoThread>;
  /** Says what a thread is called from now on; an empty name takes the name away. The outcome says why it could not. */
  rename(id: ThreadId, name: string): Promise<Outcome | undefined>;
  /**
   * Called after threads were changed as a whole, for a store whose threads other programs list as well. Gives what the
   * user should know; what was done to the threads stands.
   */
  changed?(changes: readonly ThreadChange[]): Promise<readonly Outcome[]>;
}

/** `moved`: reverted, or brought back from the archive. */
export type ThreadChange =
  | { readonly kind: 'moved' | 'archived'; readonly id: ThreadId }
  | { readonly kind: 'deleted'; readonly id: ThreadId }
  | { readonly kind: 'named'; readonly id: ThreadId; readonly name: string };

/**
 * How a user names a thread: by its id, the beginning of it, or its name; or as the one that was used last, which is never
 * one that another thread started.
 */
export type ThreadChoice = ChoiceAmong &
  ({ readonly kind: 'named'; readonly name: string } | { readonly kind: 'last' });

export interface ChoiceAmong {
  /** Only threads that work in that folder count. */
  readonly cwd?: string;
  /** Archived threads count as much as others. Without it, one is meant only where no other fits. */
  readonly archived?: boolean;
  /** A name must belong to one thread alone. Without it, the newest of its threads is meant. */
  readonly unique?: boolean;
}

export interface ChosenThread {
  readonly kind: 'chosen';
  readonly id: ThreadId;
}

export interface NoThread extends Outcome<'thread-unknown' | 'thread-ambiguous'> {
  readonly kind: 'none';
}

/**
 * Called while long work is done: how much of it, and of how much where that is known, or that it waits for another
 * process. A caller that awaits the answer
 * gives the process time for everything else.
 */
export type WorkProgress = (done: number | 'waiting', total?: number) => void | Promise<void>;

/**
 * Seals of lines on which the engine acts when it reads them again: what they grant, which process to end, which files
 * to bring back, what the user said. A rollout may come from anywhere, and what it says is a claim; a seal proves that an
 * engine with the key wrote it: that of this home, or of a store that several engines share.
 */
export interface Seals {
  /** Undefined when there is no key to be had: the line goes without. Never throws. */
  seal(claim: string): string | undefined;
  /** Whether the seal was made for this claim, with the same key. Never throws. */
  holds(claim: string, seal: string): boolean;
  /**
   * What keeps the key from being used, as the rest of a sentence; undefined when nothing does, or there is none yet. While
   * there is a problem, a seal that does not hold proves nothing. Never throws.
   */
  problem(): string | undefined;
  /** Engines with other keys may write the same store, so that a seal that does not hold proves nothing. */
  readonly otherKeys?: 'possible';
}
