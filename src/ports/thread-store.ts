import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Line, LineDraft, LineKind } from '../protocol/line.ts';
import type { Outcome, Refusal } from '../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../protocol/thread.ts';
import type { ByteRange } from './files.ts';
import type { SnapshotContents } from './workspace.ts';

/**
 * Storage of threads, which are named by id: a home's files, or a database that several machines share. Refusals by
 * rule are outcomes. If the store is unreachable or cannot write, methods reject with a `Fault`. No path crosses this
 * port.
 */
export interface ThreadStore {
  readonly rollouts: RolloutStore;
  readonly directory: ThreadDirectory;
  readonly blobs: Blobs;
  readonly contents: SnapshotContents;
}

/** Names bytes kept beside the rollouts, by hash and length. */
export type BlobRef = { readonly sha256: string; readonly bytes: number };

/** Content too large for a rollout and not seen by the model: named by its hash, stored once, within a budget. */
export interface Blobs {
  /** Stores the bytes: always, or only within the budget. Their name is known at once. */
  keep(bytes: Uint8Array, when: 'always' | 'within-budget'): KeptBlob;
  load(sha256: string): Promise<LoadedBlob | BlobMissing>;
}

export interface KeptBlob {
  readonly ref: BlobRef;
  /** False when the budget is used up: only the name remains. */
  readonly kept: boolean;
  /** Resolves when the bytes are on the disk. Rejects with a Fault when the disk refuses. */
  readonly durable: Promise<void>;
}

export type LoadedBlob = { readonly kind: 'blob'; readonly bytes: Uint8Array };
/** The blob was removed, or its bytes do not match its name. */
export type BlobMissing = Outcome<'blob-missing' | 'blob-damaged'> & { readonly kind: 'missing' };

/**
 * The rollouts of all threads. Reading needs no lease; a lease is the right to write one thread, and only one writer
 * has it (I4). Its epoch is larger than that of every earlier lease of the thread. A store may pass a lease on when the
 * owner is gone or silent for long; later writes of the old owner are refused.
 */
export interface RolloutStore {
  /**
   * Takes the lease of a new thread. `meta`, its first line, may be pending: only the first append writes it, so a
   * thread in which nothing happened leaves nothing.
   */
  create(id: ThreadId, meta: JsonObject | Promise<JsonObject>): Promise<Owned | OpenRefused>;
  /** Creates a thread that continues another from a place, without its lease. Copies lines only from the old form. */
  fork(id: ThreadId, meta: JsonObject, from: RolloutPlace): Promise<Owned | OpenRefused>;
  /** Takes the lease of an existing thread and repairs its tail. */
  open(id: ThreadId): Promise<Owned | OpenRefused>;
  /** Lines in order. Unparsable ones are left out and counted in `skipped` of the return value. */
  read(id: ThreadId, options: ReadOptions): AsyncGenerator<Line, ReadReport>;
  /** Yields the lines of `read`, newest first. */
  readBack(id: ThreadId, wanted?: Wanted): AsyncGenerator<Line, ReadReport>;
  /** The first line, and those from the place that the search finds, in batches. For stores that need one pass. */
  readTail?(id: ThreadId, search: TailSearch, options: TailOptions): AsyncGenerator<readonly Line[], ReadReport>;
  /** The thread's current rollout, active or archived. Needs no lease. */
  current(id: ThreadId): Promise<CurrentRollout | OpenRefused>;
  /** Rollouts that reverts have put aside, oldest first; `read` takes their `rolloutId`. Absent: unknown. */
  aside?(id: ThreadId): Promise<readonly AsideRollout[]>;
  /** Takes the lease of a thread, active or archived, for operations on the whole thread. */
  hold(id: ThreadId): Promise<HeldThread | OpenRefused>;
}

/** `legacy`: the old form, whose lines have no ordinals. New threads are `paginated`. */
export type HistoryMode = 'paginated' | 'legacy';

/** The rollout that a thread is read from and written to. It has others after a revert. */
export interface CurrentRollout {
  readonly kind: 'current';
  readonly rolloutId: string;
  /** For display. Only the store knows what it means. */
  readonly location: string;
  readonly mode: HistoryMode;
  readonly archived: boolean;
  readonly meta: JsonObject;
}

export interface AsideRollout {
  readonly rolloutId: string;
  readonly location: string;
  /** The first line that the revert put aside. Earlier ones count, or belong to another rollout. */
  readonly from: Ordinal;
}

/** The part of a thread before the line `end`, as read from that rollout. */
export interface RolloutPlace {
  readonly rolloutId: string;
  /** In a legacy rollout, the number of its lines before the place. */
  readonly end: Ordinal;
}

/** A new rollout of a thread, whose history is the part of an old one before a place. */
export interface Revert {
  readonly rolloutId: string;
  readonly to: RolloutPlace;
  /** Replaces the `capstan` field of the first line; the rest is copied from the current one. */
  readonly note: JsonObject;
  readonly drafts: readonly LineDraft[];
}

/** A thread without other writers while we hold it. After a take-over every change rejects with `lease-lost`. */
export interface HeldThread {
  readonly kind: 'held';
  readonly epoch: number;
  readonly current: CurrentRollout;
  /** Replaces the current rollout atomically. The old ones stay. Durable when it resolves. */
  revert(revert: Revert): Promise<CurrentRollout | OpenRefused>;
  /** Archives all rollouts of the thread: all or none, as far as the store can. */
  archive(): Promise<void>;
  /** `active`: none of them was archived. */
  unarchive(): Promise<'unarchived' | 'active'>;
  /** Threads with a rollout that continues from one of this thread's. */
  forks(): Promise<readonly ThreadId[]>;
  /** Removes all rollouts of the thread, even if forks continue from them; returns their locations. */
  delete(): Promise<readonly string[]>;
  release(): Promise<void>;
}

export interface ReadOptions {
  readonly from: Ordinal;
  /** Exclusive end. */
  readonly to?: Ordinal;
  readonly wanted?: Wanted;
  /** One returned by `aside`; default: the current one. */
  readonly rolloutId?: string;
}

/** Finds where reading begins. Gets lines newest first. */
export interface TailSearch {
  /** The lines it wants to see. Called before each line: the answer may depend on earlier ones. */
  wanted(kind: LineKind): boolean;
  /** Reading begins with the line that returns true, or with the first if none does. */
  beginsAt(line: Line): boolean;
}

export type TailOptions = Omit<ReadOptions, 'from' | 'rolloutId'>;
/** A store skips unwanted lines almost for free. Must return true if the payload's type is unknown. */
export type Wanted = (kind: LineKind) => boolean;

export interface ReadReport {
  readonly skipped: number;
  readonly tooLong?: readonly ByteRange[];
  /** Hashes of missing blobs that lines refer to, if any. Their content is left out. */
  readonly missingBlobs?: readonly string[];
}

export type OpenRefusedCode =
  | 'thread-unknown'
  | 'thread-archived'
  | 'thread-locked'
  | 'thread-unreadable'
  | 'place-unknown';

export type OpenRefused = Refusal<OpenRefusedCode>;
export type NewestLine = Required<Pick<Line, 'ordinal' | 'timestamp'>>;

/** The lease of one thread, until `close`. */
export interface Owned {
  readonly kind: 'owned';
  readonly epoch: number;
  /** For display. Only the store knows what it means. */
  readonly location: string;
  readonly mode: HistoryMode;
  readonly meta?: JsonObject;
  /** The newest line of an existing thread, if the store has seen it and it has an ordinal. Never the first line. */
  readonly newest?: NewestLine;
  readonly torn?: { readonly bytes: number };
  /**
   * Stamps and queues the drafts in order; returns all queued lines, also a new thread's first. Never waits or fails:
   * `durable` reports the outcome.
   */
  append(drafts: readonly LineDraft[]): readonly Line[];
  /**
   * Resolves when every earlier line is safe. Overlapping calls share one sync. Rejects with a `Fault` when the store
   * refuses, with code `lease-lost` after a take-over. Then all calls reject, and the thread must be opened again.
   */
  durable(): Promise<void>;
  /** Writes what is queued, syncs, and returns the lease unless another writer has it. Safe to call twice. */
  close(): Promise<void>;
}

/** Lists, names and finds threads. Takes no lease. `progress` reports on threads that no index knows yet. */
export interface ThreadDirectory {
  list(query: ThreadQuery, progress?: WorkProgress): Promise<ThreadPage | Outcome<'cursor-unknown'>>;
  /** Threads with a message of the user or the model that has all of the words. A quoted phrase is one word. */
  search(
    text: string,
    query: ThreadQuery,
    progress?: WorkProgress,
  ): Promise<ThreadHits | Outcome<'cursor-unknown' | 'search-empty'>>;
  /** Active or archived; undefined when there is no such thread. */
  summary(id: ThreadId): Promise<ThreadSummary | undefined>;
  choose(choice: ThreadChoice): Promise<ChosenThread | NoThread>;
  /** Sets the thread's name; an empty one removes it. The outcome says why it failed. */
  rename(id: ThreadId, name: string): Promise<Outcome | undefined>;
  /** Called after threads changed as a whole. Returns notices for the user; the changes stay. */
  changed?(changes: readonly ThreadChange[]): Promise<readonly Outcome[]>;
}

/** `moved`: reverted, or unarchived. */
export type ThreadChange =
  | { readonly kind: 'moved' | 'archived'; readonly id: ThreadId }
  | { readonly kind: 'deleted'; readonly id: ThreadId }
  | { readonly kind: 'named'; readonly id: ThreadId; readonly name: string };

/** A user's choice: by id, a prefix of it, or name; or the last one used that no other thread started. */
export type ThreadChoice = ThreadChoiceScope &
  ({ readonly kind: 'named'; readonly name: string } | { readonly kind: 'last' });

export interface ThreadChoiceScope {
  /** Only threads that work in that folder count. */
  readonly cwd?: string;
  /** Archived threads count equally. Otherwise one is chosen only if no other fits. */
  readonly archived?: boolean;
  /** A name must belong to one thread only. Otherwise the newest one is chosen. */
  readonly unique?: boolean;
}

export type ChosenThread = { readonly kind: 'chosen'; readonly id: ThreadId };
export type NoThread = Outcome<'thread-unknown' | 'thread-ambiguous'> & { readonly kind: 'none' };
/** Gets the amount done and the total if known, or `waiting` for another process. Await it: other work then runs. */
export type WorkProgress = (done: number | 'waiting', total?: number) => void | Promise<void>;

/**
 * Seals for lines that the engine acts on when it reads them again: grants, processes to end, files to restore, the
 * user's words. A seal proves that an engine with the home's or the store's key wrote the line.
 */
export interface Seals {
  /** Undefined when there is no key: the line is not sealed. Never throws. */
  seal(claim: string): string | undefined;
  /** True if the seal was made for this claim with the same key. Never throws. */
  holds(claim: string, seal: string): boolean;
  /** Why the key cannot be used, completing a sentence; then an invalid seal proves nothing. Never throws. */
  problem(): string | undefined;
  /** Engines with other keys may write the same store, so an invalid seal proves nothing. */
  readonly otherKeys?: 'possible';
}
