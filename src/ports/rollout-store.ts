import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Line, LineDraft, LineKind } from '../protocol/line.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** The rollouts of all threads. Reading needs no lock; writing has one owner (I4). */
export interface RolloutStore {
  /**
   * Takes the writer lock of a new thread. `meta` is the payload of its first line, which is written with the first
   * append: a thread in which nothing happened leaves no file. It may be on its way while the lock is taken.
   */
  create(id: ThreadId, meta: JsonObject | Promise<JsonObject>): Promise<Owned | OpenRefused>;
  /** Takes the writer lock of an existing thread and mends its tail. */
  open(id: ThreadId): Promise<Owned | OpenRefused>;
  /** Lines in file order. Lines that do not parse are left out and counted in `skipped` of the return value. */
  read(id: ThreadId, options: ReadOptions): AsyncGenerator<Line, ReadReport>;
  /** The same lines, newest first. */
  readBack(id: ThreadId, wanted?: Wanted): AsyncGenerator<Line, ReadReport>;
}

export interface ReadOptions {
  readonly from: Ordinal;
  /** The first line that is not read any more. */
  readonly to?: Ordinal;
  readonly wanted?: Wanted;
}

/** Lines that a reader does not want cost it next to nothing. Where the type of the payload is not known, it must say yes. */
export type Wanted = (kind: LineKind) => boolean;

export interface ReadReport {
  /** Lines that are not JSON objects with a type and a payload. */
  readonly skipped: number;
}

export type OpenRefusedCode = 'thread-unknown' | 'thread-locked' | 'thread-unreadable' | 'thread-legacy';

export interface OpenRefused extends Outcome<OpenRefusedCode> {
  readonly kind: 'refused';
}

/** The right to write one thread, until `close`. */
export interface Owned {
  readonly kind: 'owned';
  readonly path: string;
  /** Bytes of a torn last line that `open` removed, if there were any. */
  readonly torn?: { readonly bytes: number };
  /**
   * Stamps the drafts with time and ordinal and queues them for writing, in order; gives back every line it queued, the
   * first line of a new thread included. Never waits, never fails: what becomes of the bytes is told by `durable`.
   */
  append(drafts: readonly LineDraft[]): readonly Line[];
  /**
   * Resolves when every line appended before the call is on the disk. Calls that overlap share one sync.
   * Rejects with a `Fault` when the disk refuses; from then on every call rejects, what was not synced counts as lost,
   * and the thread must be opened again.
   */
  durable(): Promise<void>;
  /** Writes what is queued, syncs, releases the lock. Safe to call twice. */
  close(): Promise<void>;
}
