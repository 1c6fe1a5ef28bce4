import { resolve } from 'node:path';
import type { Lock } from '../../../ports/files.ts';
import type {
  HeldThread,
  OpenRefused,
  Owned,
  ReadReport,
  RolloutPlace,
  RolloutStore,
} from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { asideRollouts, holdThread } from './held-thread.ts';
import { restoreRollout } from '../files/compressed-rollouts.ts';
import { diskFault, withDiskFaults } from '../files/node-files.ts';
import type { FoundRollouts } from '../files/find-threads.ts';
import { forkSource, prepareForAppend } from './continue-rollout.ts';
import { historyBase } from '../lines/line-format.ts';
import { Journal, RolloutFile } from './journal.ts';
import { readLineage, readLineageBack, readTail, type Segment } from '../lines/lineage.ts';
import { localTime as processTime, lockPath, rolloutPath } from '../files/rollout-paths.ts';
import type { HomePorts, LocalTime } from '../files/rollout-paths.ts';
import { archivedThreadRefusal, lockedThreadRefusal, unknownThreadRefusal } from './refusals.ts';
import { RolloutFiles } from './rollout-files.ts';

export interface RolloutStoreOptions extends HomePorts {
  /** File names carry local time. Default: the time zone of the process. */
  readonly localTime?: LocalTime;
}

/** Rollouts as files, in the places where Codex keeps its own. */
export function createRolloutStore(options: RolloutStoreOptions): RolloutStore {
  const { files, locks, clock, localTime = processTime } = options;
  const home = resolve(options.home);
  const rollouts = new RolloutFiles(files, home);
  const durableFolders = new Set<string>();

  async function takeLock(id: ThreadId, how: 'take' | 'takeNew' = 'take'): Promise<Lock | OpenRefused> {
    const path = lockPath(home, id);
    const lock = await withDiskFaults('open', path, () => locks[how](path));
    return lock.kind === 'lock' ? lock : lockedThreadRefusal(id, lock.owner);
  }

  /** Runs under the writer lock, which is kept only if something was opened. */
  async function locked<Opened extends Owned | HeldThread>(
    id: ThreadId,
    run: (lock: Lock) => Promise<Opened | OpenRefused>,
    how?: 'takeNew',
  ): Promise<Opened | OpenRefused> {
    const lock = await takeLock(id, how);
    if (lock.kind === 'refused') return lock;
    let opened: Opened | OpenRefused | undefined;
    try {
      opened = await run(lock);
      return opened;
    } finally {
      if (opened === undefined || opened.kind === 'refused') await lock.release();
    }
  }

  async function create(id: ThreadId, meta: JsonObject | Promise<JsonObject>): Promise<Owned | OpenRefused> {
    const described = firstPayload(id, meta);
    described.catch(() => {});
    return locked(id, async (lock) => newJournal(id, lock, await described), 'takeNew');
  }

  function newFile(id: ThreadId) {
    const path = rolloutPath(home, id, localTime(clock.now()));
    return { path, file: new RolloutFile({ files, home, path, durableFolders }) };
  }

  function newJournal(id: ThreadId, lock: Lock, meta: JsonObject): Owned {
    // A thread that continues another file continues its ordinals.
    const nextOrdinal = historyBase(meta)?.end ?? (0 as Ordinal);
    return new Journal({ ...newFile(id), lock, clock, nextOrdinal, lastTime: 0, meta });
  }

  async function fork(id: ThreadId, described: JsonObject, from: RolloutPlace): Promise<Owned | OpenRefused> {
    const meta = await firstPayload(id, described);
    const refusal = await unpack(from.rolloutId);
    if (refusal !== undefined) return refusal;
    const source = await forkSource(rollouts, from, durableFolders);
    if (source.kind === 'refused') return source;
    if (source.kind === 'base') return locked(id, async (lock) => newJournal(id, lock, source.metaFrom(meta)));
    return locked(id, async (lock) => {
      const { path, file } = newFile(id);
      const lastTime = clock.now();
      try {
        for (const bytes of source.copyFor(meta, new Date(lastTime).toISOString())) await file.append(bytes);
        await file.sync();
      } catch (error) {
        await file.discard();
        throw diskFault(error, 'save', path);
      }
      return new Journal({ path, file, lock, clock, nextOrdinal: undefined, lastTime });
    });
  }

  /** A rollout that others refer to is kept plain, so that every reader finds the byte that they name. */
  async function unpack(rolloutId: string): Promise<OpenRefused | undefined> {
    const found = await rollouts.findRollout(rolloutId);
    if (found?.name.compressed !== true) return undefined;
    const lock = await takeLock(found.name.threadId);
    if (lock.kind === 'refused') return lock;
    await restoreRollout(files, found.path).finally(() => lock.release());
    return undefined;
  }

  async function open(id: ThreadId): Promise<Owned | OpenRefused> {
    // A thread that does not exist gets no lock file.
    return notActive(id, await rollouts.find(id)) ?? locked(id, (lock) => openLocked(id, lock));
  }

  async function openLocked(id: ThreadId, lock: Lock): Promise<Owned | OpenRefused> {
    // Again, because the last holder may have archived or reverted the thread meanwhile.
    const found = await rollouts.find(id);
    const refusal = notActive(id, found);
    if (refusal !== undefined) return refusal;
    const opened = await rollouts.openNewest(id, found.rollouts, 'write');
    if (opened.kind === 'refused') return opened;
    const { path, file } = opened;
    try {
      const tail = await prepareForAppend(file, { id, path });
      if (tail.kind === 'refused') {
        await file.close();
        return tail;
      }
      const { nextOrdinal, lastTime, size, torn, meta: knownMeta, newest } = tail;
      const rollout = new RolloutFile({ files, home, path, durableFolders, existing: { file, size } });
      const found = { nextOrdinal, lastTime, torn, knownMeta, newest, isFound: true };
      return new Journal({ path, file: rollout, lock, clock, ...found });
    } catch (error) {
      await file.close().catch(() => undefined);
      throw diskFault(error, 'open', path);
    }
  }

  async function* reading<Read>(
    id: ThreadId,
    reader: (segments: readonly Segment[]) => AsyncGenerator<Read, ReadReport>,
    rolloutId?: string,
  ): AsyncGenerator<Read, ReadReport> {
    const { rollouts: all } = await rollouts.find(id);
    const meant = rolloutId === undefined ? all : all.filter(({ name }) => name.rolloutId === rolloutId);
    const own = await rollouts.openNewest(id, meant, 'read');
    if (own.kind === 'refused') throw new Fault(own);
    const { segments, close } = await rollouts.openHistory(own);
    try {
      return yield* reader(segments);
    } catch (error) {
      throw diskFault(error, 'read', own.path);
    } finally {
      await close();
    }
  }

  async function hold(id: ThreadId): Promise<HeldThread | OpenRefused> {
    if ((await rollouts.find(id)).kind === 'none') return unknownThreadRefusal(id);
    return locked(id, (lock) => holdThread({ rollouts, clock, localTime, durableFolders, id, lock }));
  }

  return {
    create,
    fork,
    open,
    read: (id, options) => reading(id, (segments) => readLineage(segments, options), options.rolloutId),
    readBack: (id, wanted) => reading(id, (segments) => readLineageBack(segments, wanted)),
    readTail: (id, search, options) => reading(id, (segments) => readTail(segments, search, options)),
    current: (id) => rollouts.current(id),
    aside: (id) => asideRollouts(rollouts, id),
    hold,
  };
}

/** The first line identifies the file and its form; the store determines the form. */
async function firstPayload(id: ThreadId, described: JsonObject | Promise<JsonObject>): Promise<JsonObject> {
  const meta = await described;
  const owner = meta['id'] ?? id;
  if (owner !== id) {
    const message = `The description of the new thread ${id} names another thread, ${JSON.stringify(owner)}.`;
    const next = 'This is a bug in the program that creates the thread: both ids must be the same.';
    throw new Fault({ code: 'thread-misnamed', message, next });
  }
  return { id, ...meta, history_mode: 'paginated' };
}

function notActive(id: ThreadId, found: FoundRollouts): OpenRefused | undefined {
  if (found.kind === 'active') return undefined;
  const [newest] = found.rollouts;
  return newest === undefined ? unknownThreadRefusal(id) : archivedThreadRefusal({ id, path: newest.path });
}
