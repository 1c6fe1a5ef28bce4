import type { ByteRange } from './files.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Line, LineDraft, LineKind } from '../protocol/line.ts';
import type { Outcome } from '../protocol/outcome.ts';

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
