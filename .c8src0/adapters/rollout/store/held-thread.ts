import type { Lock } from '../../../ports/files.ts';
import type { Clock } from '../../../ports/system.ts';
import type { AsideRollout, CurrentRollout, HeldThread, OpenRefused, Revert } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { lineType } from '../../../protocol/line.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { removeCompressed, restoreRollout } from '../files/compressed-rollouts.ts';
import { findAllRollouts, findThreadFiles, type FoundRollout } from '../files/find-threads.ts';
import { diskFault, withDiskFaults } from '../files/node-files.ts';
import { withOpenFile, createFileAtomically } from '../files/whole-files.ts';
import { unarchivedPath, archiveFolder, type LocalTime, rolloutPath } from '../files/rollout-paths.ts';
import { encodeLine, historyBase, withBase } from '../lines/line-format.ts';
import { readRolloutHead } from '../lines/read-lines.ts';
import { forkSource } from './continue-rollout.ts';
import { makeNameDurable } from './journal.ts';
import { leaseLost, unknownPlaceRefusal } from './refusals.ts';
import type { RolloutFiles } from './rollout-files.ts';
import { basename, dirname, join } from 'node:path';

export interface HoldOptions {
  readonly rollouts: RolloutFiles;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  readonly durableFolders: Set<string>;
  readonly id: ThreadId;
  readonly lock: Lock;
}

/** Operations on a whole thread, under its writer lock. */
export async function holdThread(options: HoldOptions): Promise<HeldThread | OpenRefused> {
  const { rollouts, clock, durableFolders, id, lock } = options;
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

  /** The target folder of a move must survive a crash, or the file does not. */
  async function makeFolder(path: string): Promise<void> {
    await files.makeDirectory(path, 0o700);
    await makeNameDurable({ files, home, durableFolders }, path);
  }

  /** Moves files in sequence, each durably before the next: no crash may bring back an older one as the newest. */
  async function moveAll(paths: readonly string[], target: (name: string) => string): Promise<readonly string[]> {
    const moved: { readonly from: string; readonly to: string }[] = [];
    try {
      for (const from of paths) {
        const to = target(basename(from));
        if (to === from) continue;
        await makeFolder(dirname(to));
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
      return writeRevert({ ...options, makeFolder }, current, revert);
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

async function writeRevert(
  options: HoldOptions & { makeFolder(path: string): Promise<void> },
  current: CurrentRollout,
  { rolloutId, to, note, drafts }: Revert,
): Promise<CurrentRollout | OpenRefused> {
  const { rollouts, clock, localTime, durableFolders, id, makeFolder } = options;
  const source = await forkSource(rollouts, to, durableFolders);
  if (source.kind === 'refused') return source;
  if (source.kind === 'copy')
    return unknownPlaceRefusal(to.rolloutId, 'it uses the old file format, which does not support reverts');
  const { files, home } = rollouts;
  const now = clock.now();
  const path = rolloutPath(home, id, localTime(now), rolloutId);
  const meta = withBase(current.meta, source.base);
  const payload = { ...meta, capstan: note };
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
    await makeFolder(dirname(path));
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
export async function asideRollouts(rollouts: RolloutFiles, id: ThreadId): Promise<readonly AsideRollout[]> {
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
