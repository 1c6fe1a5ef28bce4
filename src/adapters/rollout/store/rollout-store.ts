import { resolve, basename, dirname, join } from 'node:path';
import type { Lock } from '../../../ports/files.ts';
import type {
  HeldThread,
  OpenRefused,
  Owned,
  ReadReport,
  RolloutPlace,
  RolloutStore,
  AsideRollout,
  CurrentRollout,
  Revert,
} from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { restoreRollout, removeCompressed } from '../files/compressed-rollouts.ts';
import { diskFault, withDiskFaults } from '../files/node-files.ts';
import { findAllRollouts, findThreadFiles, type FoundRollouts, type FoundRollout } from '../files/find-threads.ts';
import { forkSource, prepareForAppend } from './continue-rollout.ts';
import { historyBase, encodeLine, withBase } from '../lines/line-format.ts';
import { Journal, RolloutFile, makeNameDurable } from './journal.ts';
import { readLineage, readLineageBack, readTail, type Segment } from '../lines/lineage.ts';
import {
  localTime as processTime,
  lockPath,
  rolloutPath,
  unarchivedPath,
  archiveFolder,
} from '../files/rollout-paths.ts';
import type { HomePorts, LocalTime } from '../files/rollout-paths.ts';
import {
  archivedThreadRefusal,
  lockedThreadRefusal,
  unknownThreadRefusal,
  leaseLost,
  unknownPlaceRefusal,
} from './refusals.ts';
import { RolloutFiles } from './rollout-files.ts';
import type { Clock } from '../../../ports/system.ts';
import { lineType } from '../../../protocol/line.ts';
import { withOpenFile, createFileAtomically } from '../files/whole-files.ts';
import { readRolloutHead } from '../lines/read-lines.ts';

export interface RolloutStoreOptions extends HomePorts {
  /** File names carry local time. Default: the time zone of the process. */
  readonly localTime?: LocalTime;
}

/** Rollouts as files, in the places where Codex keeps its own. */
export function createRolloutStore(options: RolloutStoreOptions): RolloutStore {
  const { files, locks, clock, localTime = processTime } = options;
  const home = resolve(options.home);
  const rollouts = new RolloutFiles(files, home);
  const { durableFolders } = rollouts;

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
    const source = await forkSource(rollouts, from);
    if (source.kind === 'refused') return source;
    if (source.kind === 'base') {
      const { base } = source;
      const forked = withBase({ ...meta, ...(base && { forked_from_ordinal_exclusive: base.end }) }, base);
      return locked(id, async (lock) => newJournal(id, lock, forked));
    }
    return locked(id, async (lock) => {
      const { path, file } = newFile(id);
      const lastTime = clock.now();
      const first = { type: lineType.sessionMeta, payload: { ...meta, history_mode: 'legacy' } };
      try {
        await file.append(Buffer.from(encodeLine({ timestamp: new Date(lastTime).toISOString(), ...first })));
        await file.append(source.lines);
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
      const { size, meta: knownMeta, ...end } = tail;
      const rollout = new RolloutFile({ files, home, path, durableFolders, existing: { file, size } });
      return new Journal({ ...end, knownMeta, path, file: rollout, lock, clock, isFound: true });
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
    return locked(id, (lock) => holdThread({ rollouts, clock, localTime, id, lock }));
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

type HeldFiles = Readonly<{ rollouts: RolloutFiles; clock: Clock; localTime: LocalTime; id: ThreadId; lock: Lock }>;

/** Operations on a whole thread, under its writer lock. */
async function holdThread(held: HeldFiles): Promise<HeldThread | OpenRefused> {
  const { rollouts, clock, id, lock } = held;
  const { files, home } = rollouts;
  const current = await rollouts.current(id);
  if (current.kind === 'refused') return current;

  async function ownFiles(): Promise<readonly FoundRollout[]> {
    if (await lock.isLost()) throw leaseLost(`thread ${id}`);
    const found = await withDiskFaults('open', home, () => findThreadFiles(files, home, id));
    // A kill may have left a compressed form beside a plain one. It must not reappear when the plain one is removed.
    for (const { path, name } of found) if (!name.compressed) await removeCompressed(files, path);
    return found;
  }

  /** Moves files in sequence, each durably before the next: no crash may bring back an older one as the newest. */
  async function moveAll(paths: readonly string[], target: (name: string) => string): Promise<readonly string[]> {
    const moved: { readonly from: string; readonly to: string }[] = [];
    try {
      for (const from of paths) {
        const to = target(basename(from));
        if (to === from) continue;
        await makeDurableFolder(rollouts, dirname(to));
        await files.move(from, to);
        moved.push({ from, to });
        await files.syncDirectory(dirname(to));
        await files.syncDirectory(dirname(from));
      }
    } catch (error) {
      for (const { from, to } of moved.toReversed()) await files.move(to, from).catch(() => undefined);
      throw diskFault(error, 'move', paths[0] ?? home);
    }
    return moved.map(({ to }) => to);
  }

  return {
    kind: 'held',
    epoch: lock.epoch,
    current,
    async revert(revert) {
      // Files that others refer to are kept plain.
      const own = await ownFiles();
      for (const { path, name } of own) if (name.compressed) await restoreRollout(files, path);
      // The target of an undo comes from the file, which may name anything. It must be of this thread.
      if (!own.some(({ name }) => name.rolloutId === revert.to.rolloutId))
        return unknownPlaceRefusal(revert.to.rolloutId, 'it is not a file of this thread');
      return writeRevert(held, current, revert);
    },
    // The newest file is the thread's current one, so it is archived last and brought back first.
    archive: async () => {
      const paths = (await ownFiles()).map(({ path }) => path).toReversed();
      await moveAll(paths, (name) => join(archiveFolder(home), name));
    },
    unarchive: async () => {
      const paths = (await ownFiles()).map(({ path }) => path);
      const [newest] = await moveAll(paths, (name) => unarchivedPath(home, name));
      if (newest === undefined) return 'active';
      // Other programs use this time to find the last used thread and those old enough to be compressed. A process that
      // may move a file may not always set it, and the thread is restored without it.
      const facts = await files.describe(newest);
      await (facts && files.setFacts(newest, { ...facts, modified: clock.now() }).catch(() => undefined));
      return 'unarchived';
    },
    async forks() {
      const own = await ownFiles();
      return withDiskFaults('read', home, () => forksOf(rollouts, id, own));
    },
    async delete() {
      const paths = (await ownFiles()).map(({ path }) => path).toReversed();
      await withDiskFaults('remove', paths[0] ?? home, async () => {
        for (const path of paths) {
          await files.remove(path);
          await files.syncDirectory(dirname(path));
        }
      });
      return paths;
    },
    release: () => lock.release(),
  };
}

/** The target folder of a move must survive a crash, or the file does not. */
async function makeDurableFolder(rollouts: RolloutFiles, path: string): Promise<void> {
  await rollouts.files.makeDirectory(path, 0o700);
  await makeNameDurable(rollouts, path);
}

async function writeRevert(
  { rollouts, clock, localTime, id }: HeldFiles,
  current: CurrentRollout,
  { rolloutId, to, note, drafts }: Revert,
): Promise<CurrentRollout | OpenRefused> {
  const source = await forkSource(rollouts, to);
  if (source.kind === 'refused') return source;
  if (source.kind === 'copy')
    return unknownPlaceRefusal(to.rolloutId, 'it uses the old file format, which does not support reverts');
  const { files, home } = rollouts;
  const now = clock.now();
  const path = rolloutPath(home, id, localTime(now), rolloutId);
  const payload = { ...withBase(current.meta, source.base), capstan: note };
  const ordinal = source.base?.end ?? (0 as Ordinal);
  const timestamp = new Date(now).toISOString();
  const lines = [{ type: lineType.sessionMeta, payload }, ...drafts].map((draft, at) =>
    encodeLine({ timestamp, ordinal: (ordinal + at) as Ordinal, ...draft }),
  );
  if ((await files.describe(path)) !== undefined) {
    const message = `Cannot write the new file ${path}: it already exists.`;
    throw new Fault({ code: 'thread-exists', message, next: 'Nothing has changed. Try again.' });
  }
  try {
    await makeDurableFolder(rollouts, dirname(path));
    // Written whole or not at all: a file with only some of these lines would be another thread.
    const content = [Buffer.from(lines.join(''))];
    await createFileAtomically(files, { path, temporary: `${path}.tmp`, mode: 0o600, content });
    const [newest] = (await rollouts.find(id)).rollouts;
    if (newest?.path !== path) {
      const message = `The new file ${path} would be older than ${newest?.path ?? 'none'}: the clock of this machine is behind.`;
      throw new Fault({ code: 'clock-behind', message, next: 'Nothing has changed. Set the clock and try again.' });
    }
  } catch (error) {
    await files.remove(path).catch(() => undefined);
    throw diskFault(error, 'save', path);
  }
  return { ...current, rolloutId, location: path, archived: false, meta: payload };
}

async function forksOf({ files, home }: RolloutFiles, id: ThreadId, own: readonly FoundRollout[]) {
  const ids = new Set(own.map(({ name }) => name.rolloutId));
  const forks = new Set<ThreadId>();
  for (const { path, name } of await findAllRollouts(files, home)) {
    // A thread that continues another file is never compressed.
    if (name.threadId === id || name.compressed) continue;
    const head = await withOpenFile(files.openToRead(path), readRolloutHead);
    const base = head.kind === 'meta' ? historyBase(head.meta) : undefined;
    if (base !== undefined && ids.has(base.rolloutId)) forks.add(name.threadId);
  }
  return [...forks];
}

/** Rollouts of a thread with lines that its current rollout does not continue from, oldest first. */
async function asideRollouts(rollouts: RolloutFiles, id: ThreadId): Promise<readonly AsideRollout[]> {
  const { rollouts: found } = await rollouts.find(id);
  const [newest] = found;
  // Several files without a revert are copies made by another program.
  if (found.length < 2 || newest === undefined || newest.name.rolloutId === id) return [];
  const own = await rollouts.openNewest(id, found, 'read');
  if (own.kind === 'refused') return [];
  const { segments, close } = await rollouts.openHistory(own);
  await close();
  /** The end of the part of each that belongs to the current thread. */
  const ends = new Map(segments.flatMap(({ base }) => (base === undefined ? [] : [[base.rolloutId, base.end]])));
  const current = found.findIndex(({ name }) => name.rolloutId === own.rolloutId);
  const aside: AsideRollout[] = [];
  for (const { path, name } of found.slice(current + 1).toReversed()) {
    const { rolloutId } = name;
    const from = ends.get(rolloutId) ?? (await firstOwn(rollouts, rolloutId));
    if (from !== undefined) aside.push({ rolloutId, location: path, from });
  }
  return aside;
}

/** The ordinal of a rollout's first own line. Undefined if its file is missing or has no metadata. */
async function firstOwn(rollouts: RolloutFiles, rolloutId: string): Promise<Ordinal | undefined> {
  const opened = await rollouts.openRollout(rolloutId);
  if (opened === undefined) return undefined;
  const { path, file } = opened;
  const head = await withDiskFaults('read', path, () => readRolloutHead(file)).finally(() => file.close());
  return head.kind === 'meta' ? (historyBase(head.meta)?.end ?? (0 as Ordinal)) : undefined;
}
