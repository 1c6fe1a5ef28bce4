import { dirname, join } from 'node:path';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import { blobFolders, findBlobs, type FoundBlob } from '../blobs/blobs-folder.ts';
import { onDisk } from '../disk/disk-fault.ts';
import { dayFolders } from '../find/find-rollout.ts';
import { archiveFolder, lockFolder, sessionsFolder } from '../find/names.ts';
import { type CollectOptions, graceMs } from './collect-options.ts';
import { findReferences, type References } from './collect-references.ts';
import { collectReverted, type CollectedRevert } from './collect-reverted.ts';

/** What was removed, or would be. */
export interface Collected {
  readonly dryRun: boolean;
  readonly freedBytes: number;
  readonly blobs: CollectedBlobs;
  readonly snapshotBytes: number;
  readonly lockFiles: number;
  readonly temporaryFiles: number;
  readonly reverted: readonly CollectedRevert[];
  /** Threads that were skipped because a process is writing them. */
  readonly busy: readonly ThreadId[];
  /** Rollouts that could not be read: as long as there are any, nothing that they may refer to is removed. */
  readonly unread: References['unread'];
}

/** Removes what nothing refers to. A thread that is being written is not touched. */
export function collect(options: CollectOptions): Promise<Collected> {
  return onDisk('remove', options.home, () => collectAll(options));
}

async function collectAll(options: CollectOptions): Promise<Collected> {
  const { dryRun } = options;
  const { reverted, busy } = options.reverted
    ? await collectReverted(options, await findReferences(options))
    : { reverted: [], busy: [] };
  // Again: what was cut off refers to nothing any more.
  const references = await findReferences(options);
  const { unread } = references;
  const isKnown = unread.length === 0;
  const blobs = await collectBlobs(options, isKnown ? references : undefined);
  const snapshots = isKnown && !dryRun ? await options.collectSnapshots?.(references.trees) : undefined;
  const lockFiles = await collectLocks(options);
  const temporary = await collectTemporary(options);
  const snapshotBytes = snapshots?.freedBytes ?? 0;
  const revertedBytes = reverted.reduce((sum, { bytes }) => sum + bytes, 0);
  const freedBytes = blobs.freedBytes + snapshotBytes + temporary.bytes + revertedBytes;
  return {
    dryRun,
    freedBytes,
    blobs,
    snapshotBytes,
    lockFiles,
    temporaryFiles: temporary.files,
    reverted,
    busy,
    unread,
  };
}

interface CollectedBlobs {
  /** Blobs that nothing referred to. */
  readonly unreferred: number;
  /** Outputs that threads refer to and that had to go because of the budget, oldest first. */
  readonly overBudget: readonly { readonly sha256: string; readonly threads: readonly ThreadId[] }[];
  readonly freedBytes: number;
  readonly keptBytes: number;
}

/** Without references nothing is known to be of no use, and nothing goes. */
async function collectBlobs(options: CollectOptions, references: References | undefined): Promise<CollectedBlobs> {
  const { files, home, clock, dryRun, maxBlobBytes } = options;
  const now = clock.now();
  const found = (await findBlobs(files, home)).toSorted((one, other) => one.used - other.used);
  let keptBytes = found.reduce((sum, { size }) => sum + size, 0);
  let freedBytes = 0;
  if (references === undefined) return { unreferred: 0, overBudget: [], freedBytes, keptBytes };

  /** Unless it was used since it was found. */
  const remove = async ({ path, used, size }: FoundBlob): Promise<boolean> => {
    if ((await files.describe(path))?.modified !== used) return false;
    if (!dryRun) {
      await files.remove(path);
      await files.syncDirectory(dirname(path));
    }
    keptBytes -= size;
    freedBytes += size;
    return true;
  };

  let unreferred = 0;
  const old = found.filter(({ used }) => now - used >= graceMs);
  for (const blob of old) if (!references.blobs.has(blob.sha256) && (await remove(blob))) unreferred += 1;
  const overBudget: { sha256: string; threads: readonly ThreadId[] }[] = [];
  for (const blob of old) {
    const use = references.blobs.get(blob.sha256);
    if (keptBytes <= maxBlobBytes) break;
    if (use === undefined || use.needed || !(await remove(blob))) continue;
    overBudget.push({ sha256: blob.sha256, threads: [...use.threads] });
  }
  return { unreferred, overBudget, freedBytes, keptBytes };
}

const locksAtOnce = 20;

/**
 * Removes lock files that no process holds; gives their number. Each is locked while it goes, and so is the file that
 * Codex locks around taking and removing locks: no process is left with a lock on a file that has no name.
 */
async function collectLocks({ files, home, locks, dryRun }: CollectOptions): Promise<number> {
  const folder = lockFolder(home);
  const names = (await files.list(folder)).filter((name) => parseThreadId(name.replace(/\.lock$/, '')) !== undefined);
  let removed = 0;
  const removeFree = async (path: string): Promise<void> => {
    const lock = await locks.take(path);
    if (lock.kind === 'held') return;
    try {
      if (!dryRun) await files.remove(path);
      removed += 1;
    } finally {
      await lock.release();
    }
  };
  // Few at a time: a Codex that wants a lock waits as long as the other file is locked.
  for (let i = 0; i < names.length; i += locksAtOnce) {
    const coordination = await locks.take(join(folder, '.coordination.lock'));
    // Another process takes or removes locks at this moment: another time.
    if (coordination.kind === 'held') break;
    try {
      for (const name of names.slice(i, i + locksAtOnce)) await removeFree(join(folder, name));
    } finally {
      await coordination.release();
    }
  }
  return removed;
}

/** Removes files that were never finished. Who is still at work on one has touched it not long ago. */
export async function collectTemporary({ files, home, clock, dryRun }: CollectOptions) {
  const folders = [...(await dayFolders(files, sessionsFolder(home), '')), archiveFolder(home), join(home, 'capstan')];
  const listed = await Promise.all(folders.map(async (folder) => ({ folder, names: await files.list(folder) })));
  let [count, bytes] = [0, 0];
  for (const { folder, names } of [...listed, ...(await blobFolders(files, home))]) {
    for (const name of names.filter((one) => one.endsWith('.tmp'))) {
      const path = join(folder, name);
      const facts = await files.describe(path);
      if (facts === undefined || clock.now() - facts.modified < graceMs) continue;
      if (!dryRun) await files.remove(path);
      count += 1;
      bytes += facts.size;
    }
  }
  return { files: count, bytes };
}
