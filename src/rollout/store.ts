import { resolve } from 'node:path';
import type { Clock } from '../ports/clock.ts';
import type { Files, Lock, Locks, OpenFile } from '../ports/files.ts';
import type { OpenRefused, Owned, ReadReport, RolloutStore } from '../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import { numberAt, objectAt, type JsonObject } from '../protocol/json.ts';
import type { Line } from '../protocol/line.ts';
import { Fault } from '../protocol/outcome.ts';
import { diskFault, errorCode } from './disk-fault.ts';
import { findAllRollouts, findRollouts, type FoundRollout, type FoundRollouts } from './find-rollout.ts';
import { Journal } from './journal.ts';
import { openLineage, readLineage, readLineageBack, type Segment } from './lineage.ts';
import { localTime as processTime, lockPath, rolloutPath, type LocalTime } from './names.ts';
import { openTail } from './open-tail.ts';
import { readHead } from './read-head.ts';
import { archivedThread, compressedThread, lockedThread, unknownThread } from './refusals.ts';
import { RolloutFile } from './rollout-file.ts';

export interface RolloutStoreOptions {
  /** The folder that holds `sessions/`. */
  readonly home: string;
  readonly files: Files;
  readonly locks: Locks;
  readonly clock: Clock;
  /** File names carry local time. Default: the time zone of the process. */
  readonly localTime?: LocalTime;
}

/** Rollouts as files, in the places where Codex keeps its own. */
export function createRolloutStore(options: RolloutStoreOptions): RolloutStore {
  const { files, locks, clock, localTime = processTime } = options;
  const home = resolve(options.home);
  const durableFolders = new Set<string>();

  async function takeLock(id: ThreadId): Promise<Lock | OpenRefused> {
    const path = lockPath(home, id);
    try {
      const lock = await locks.take(path);
      return lock.kind === 'lock' ? lock : lockedThread(id, lock.owner);
    } catch (error) {
      throw diskFault(error, 'open', path);
    }
  }

  async function create(id: ThreadId, meta: JsonObject | Promise<JsonObject>): Promise<Owned | OpenRefused> {
    // Another process takes the lock; there is time to describe the thread meanwhile.
    const [locked, described] = await Promise.allSettled([takeLock(id), firstPayload(id, meta)]);
    if (locked.status === 'rejected') throw locked.reason;
    const lock = locked.value;
    if (lock.kind === 'refused') return lock;
    if (described.status === 'rejected') {
      await lock.release();
      throw described.reason;
    }
    const payload = described.value;
    const path = rolloutPath(home, id, localTime(clock.now()));
    const file = new RolloutFile({ files, home, path, durableFolders });
    return new Journal({ path, file, lock, clock, nextOrdinal: firstOrdinal(payload), lastTime: 0, meta: payload });
  }

  async function open(id: ThreadId): Promise<Owned | OpenRefused> {
    // A thread that does not exist gets no lock file.
    const known = notActive(id, await find(id));
    if (known !== undefined) return known;
    const lock = await takeLock(id);
    if (lock.kind === 'refused') return lock;
    let owned: Owned | OpenRefused | undefined;
    try {
      owned = await openLocked(id, lock);
      return owned;
    } finally {
      if (owned?.kind !== 'owned') await lock.release();
    }
  }

  async function openLocked(id: ThreadId, lock: Lock): Promise<Owned | OpenRefused> {
    // Again, because the last holder may have archived or reverted the thread meanwhile.
    const found = await find(id);
    const refusal = notActive(id, found);
    if (refusal !== undefined) return refusal;
    const opened = await openNewest(id, found.rollouts, openToWrite);
    if (opened.kind === 'refused') return opened;
    const { path, file } = opened;
    try {
      const tail = await openTail(file, { id, path });
      if (tail.kind === 'refused') {
        await file.close();
        return tail;
      }
      const { nextOrdinal, lastTime, size, torn } = tail;
      const rollout = new RolloutFile({ files, home, path, durableFolders, existing: { file, size } });
      // A killed process may have left lines, or the file's name, in memory only. They are about to be built upon.
      await rollout.sync();
      return new Journal({ path, file: rollout, lock, clock, nextOrdinal, lastTime, torn });
    } catch (error) {
      await file.close().catch(() => undefined);
      throw diskFault(error, 'open', path);
    }
  }

  async function find(id: ThreadId): Promise<FoundRollouts> {
    try {
      return await findRollouts(files, home, id);
    } catch (error) {
      throw diskFault(error, 'open', home);
    }
  }

  /** The newest file in which something was saved; a writer that died before its first sync hides no older one. */
  async function openNewest(
    id: ThreadId,
    rollouts: readonly FoundRollout[],
    openFile: (path: string) => Promise<OpenFile>,
  ): Promise<OpenRefused | { readonly kind: 'opened'; readonly path: string; readonly file: OpenFile }> {
    for (const [index, { path, name }] of rollouts.entries()) {
      if (name.compressed) return compressedThread({ id, path });
      const file = await openIfThere(path, openFile);
      if (file === undefined) continue;
      const isLast = index === rollouts.length - 1;
      if (isLast || !(await isEmpty(file, path))) return { kind: 'opened', path, file };
      await file.close();
    }
    return unknownThread(id);
  }

  const openToRead = (path: string): Promise<OpenFile> => files.openToRead(path);
  const openToWrite = (path: string): Promise<OpenFile> => files.open(path, { create: false, mode: 0o600 });

  async function openIfThere(
    path: string,
    openFile: (path: string) => Promise<OpenFile>,
  ): Promise<OpenFile | undefined> {
    try {
      return await openFile(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw diskFault(error, 'open', path);
    }
  }

  async function isEmpty(file: OpenFile, path: string): Promise<boolean> {
    try {
      return (await readHead(file)).kind === 'empty';
    } catch (error) {
      await file.close().catch(() => undefined);
      throw diskFault(error, 'open', path);
    }
  }

  async function openForReading(id: ThreadId): Promise<{ readonly path: string; readonly file: OpenFile }> {
    const opened = await openNewest(id, (await find(id)).rollouts, openToRead);
    if (opened.kind === 'refused') throw new Fault(opened);
    return opened;
  }

  /** Runs a reader over all files of a thread's history, and closes them. */
  async function* reading(
    id: ThreadId,
    reader: (segments: readonly Segment[]) => AsyncGenerator<Line, ReadReport>,
  ): AsyncGenerator<Line, ReadReport> {
    const own = await openForReading(id);
    const opened = [own.file];
    try {
      const segments = await openLineage(own, async (rolloutId) => {
        const segment = await openRollout(rolloutId);
        if (segment !== undefined) opened.push(segment.file);
        return segment;
      });
      return yield* reader(segments);
    } catch (error) {
      throw error instanceof Fault ? error : diskFault(error, 'read', own.path);
    } finally {
      for (const file of opened) await file.close();
    }
  }

  async function openRollout(rolloutId: string): Promise<Segment | undefined> {
    const found = (await findAllRollouts(files, home)).find(({ name }) => name.rolloutId === rolloutId);
    if (found === undefined || found.name.compressed) return undefined;
    const file = await openIfThere(found.path, openToRead);
    return file === undefined ? undefined : { path: found.path, file };
  }

  return {
    create,
    open,
    read: (id, options) => reading(id, (segments) => readLineage(segments, options)),
    readBack: (id, wanted) => reading(id, (segments) => readLineageBack(segments, wanted)),
  };
}

/** The first line says whose file it is and in which form it is written: the second is the store's to say. */
async function firstPayload(id: ThreadId, described: JsonObject | Promise<JsonObject>): Promise<JsonObject> {
  const meta = await described;
  const owner = meta['id'] ?? id;
  if (owner !== id) {
    throw new Fault({
      code: 'thread-misnamed',
      message: `A new thread ${id} was described as thread ${JSON.stringify(owner)}.`,
      next: 'This is a bug in the program that creates the thread: give both the same id.',
    });
  }
  return { id, ...meta, history_mode: 'paginated' };
}

/** A thread that goes on from another file counts on from there. */
function firstOrdinal(meta: JsonObject): Ordinal {
  const base = objectAt(meta, 'history_base') ?? {};
  return (numberAt(base, 'end_ordinal_exclusive') ?? 0) as Ordinal;
}

function notActive(id: ThreadId, found: FoundRollouts): OpenRefused | undefined {
  if (found.kind === 'active') return undefined;
  const [newest] = found.rollouts;
  return newest === undefined ? unknownThread(id) : archivedThread({ id, path: newest.path });
}
