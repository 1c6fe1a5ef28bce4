import type { JournalDisk } from '../../../ports/files.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';
import { stringAt } from '../../../protocol/json.ts';
import { lineType } from '../../../protocol/line.ts';
import { errorCode } from '../../disk/file-system.ts';
import { inFreeLock } from '../../disk/wait-for-lock.ts';
import { openRolloutFile } from '../files/compressed-rollouts.ts';
import { dayFolders, findAllRollouts, findThreadFiles, type FoundRollout } from '../files/find-threads.ts';
import { withDiskFaults } from '../files/node-files.ts';
import { withOpenFile } from '../files/whole-files.ts';
import { archiveFolder, type HomePorts, lockFolder, lockPath, sessionsFolder } from '../files/rollout-paths.ts';
import { decodeLine, historyBase } from '../lines/line-format.ts';
import { readRolloutHead } from '../lines/read-lines.ts';
import { splitLinesForward } from '../lines/split-lines.ts';
import { blobFolders, findBlobs, type FoundBlob } from '../store/blobs.ts';
import { dirname, join } from 'node:path';

/** Removes data that no thread refers to. Leaves threads alone while they are being written. */
export const removeUnreferenced = (options: RemovalOptions) =>
  withDiskFaults('remove', options.home, () => collectAll(options));

async function collectAll(options: RemovalOptions) {
  const { dryRun } = options;
  const { reverted, busy } = options.reverted
    ? await collectReverted(options, await findReferences(options))
    : { reverted: [], busy: [] };
  // Read again: the parts just cut off no longer count as references.
  const references = await findReferences(options);
  const { unread } = references;
  const isKnown = unread.length === 0;
  const blobs = await collectBlobs(options, isKnown ? references : undefined);
  const snapshots = isKnown && !dryRun ? await options.collectSnapshots?.(references.trees) : undefined;
  const lockFiles = await collectLocks(options);
  const { files: temporaryFiles, bytes: temporaryBytes } = await removeTemporaryFiles(options);
  const snapshotBytes = snapshots?.freedBytes ?? 0;
  const revertedBytes = reverted.reduce((sum, { bytes }) => sum + bytes, 0);
  const freedBytes = blobs.freedBytes + snapshotBytes + temporaryBytes + revertedBytes;
  return { dryRun, freedBytes, blobs, snapshotBytes, lockFiles, temporaryFiles, reverted, busy, unread };
}

/**
 * Without `references`, Capstan cannot tell which blobs are unused, so it removes none. `overBudget`: referenced outputs
 * that were removed for the budget, oldest first.
 */
async function collectBlobs(options: RemovalOptions, references: References | undefined) {
  const { files, home, clock, dryRun, maxBlobBytes } = options;
  const now = clock.now();
  const found = (await findBlobs(files, home)).toSorted((one, other) => one.used - other.used);
  let keptBytes = found.reduce((sum, { size }) => sum + size, 0);
  let freedBytes = 0;
  const overBudget: { readonly sha256: string; readonly threads: readonly ThreadId[] }[] = [];
  if (references === undefined) return { unreferred: 0, overBudget, freedBytes, keptBytes };

  /** Skips a blob used since it was found. */
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
  const old = found.filter(({ used }) => now - used >= removalGraceMs);
  for (const blob of old) if (!references.blobs.has(blob.sha256) && (await remove(blob))) unreferred += 1;
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
 * Removes lock files that no process holds; returns their number. Removes each while holding both its lock and the lock
 * that Codex holds while it takes or releases locks, so no process can end up with a lock on a removed file.
 */
async function collectLocks({ files, home, locks, dryRun }: RemovalOptions): Promise<number> {
  const folder = lockFolder(home);
  const names = (await files.list(folder)).filter((name) => parseThreadId(name.replace(/\.lock$/, '')) !== undefined);
  let removed = 0;
  const removeFree = (path: string) =>
    inFreeLock(locks, path, async () => {
      if (!dryRun) await files.remove(path);
      removed += 1;
    });
  // In small batches: a Codex that wants a lock waits while the other file is locked.
  for (let i = 0; i < names.length; i += locksAtOnce) {
    const held = await inFreeLock(locks, join(folder, '.coordination.lock'), async () => {
      for (const name of names.slice(i, i + locksAtOnce)) await removeFree(join(folder, name));
    });
    // Another process is taking or removing locks: try another time.
    if (held !== undefined) break;
  }
  return removed;
}

/** Removes unfinished files. A process still working on one has touched it recently. */
export async function removeTemporaryFiles({ files, home, clock, dryRun }: RemovalOptions) {
  const folders = [...(await dayFolders(files, sessionsFolder(home), '')), archiveFolder(home), join(home, 'capstan')];
  const listed = await Promise.all(folders.map(async (folder) => ({ folder, names: await files.list(folder) })));
  let [count, bytes] = [0, 0];
  for (const { folder, names } of [...listed, ...(await blobFolders(files, home))]) {
    for (const name of names.filter((one) => one.endsWith('.tmp'))) {
      const path = join(folder, name);
      const facts = await files.describe(path);
      if (facts === undefined || clock.now() - facts.modified < removalGraceMs) continue;
      if (!dryRun) await files.remove(path);
      count += 1;
      bytes += facts.size;
    }
  }
  return { files: count, bytes };
}

export interface RemovalOptions extends HomePorts {
  readonly maxBlobBytes: number;
  /** Only report what would be removed. */
  readonly dryRun: boolean;
  /** Also remove the parts that reverts have put aside; the user can then no longer undo these reverts. */
  readonly reverted: boolean;
  readonly progress?: WorkProgress;
  /** Removes workspace snapshots that begin with none of these trees. */
  readonly collectSnapshots?: (trees: ReadonlySet<string>) => Promise<{ readonly freedBytes: number }>;
}

/** Anything younger stays regardless of references: a turn may be about to refer to it. */
export const removalGraceMs = 60 * 60 * 1000;

interface References {
  readonly rollouts: readonly ReadRollout[];
  /** By hash. `needed`: requests cannot be rebuilt without it. */
  readonly blobs: ReadonlyMap<string, { readonly threads: ReadonlySet<ThreadId>; readonly needed: boolean }>;
  readonly trees: ReadonlySet<string>;
  /** Rollouts not read to their end: while there are any, nothing that they may refer to is removed. */
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

/** `meta`: payload of the first line; absent if that is not metadata. */
type ReadRollout = FoundRollout & Awaited<ReturnType<typeof readRollout>>;

/** Reads every rollout, plain or compressed, without a lock: lines are only ever appended. */
async function findReferences({ files, home, progress }: RemovalOptions): Promise<References> {
  const rollouts: ReadRollout[] = [];
  const blobs = new Map<string, { readonly threads: Set<ThreadId>; needed: boolean }>();
  const trees = new Set<string>();
  const unread: { path: string; why: string }[] = [];
  const all = await findAllRollouts(files, home);
  for (const [at, found] of all.entries()) {
    await progress?.(at, all.length);
    try {
      const head = await readRollout(files, found.path, (line) => {
        for (const sha256 of line.blobs) {
          const use = blobs.get(sha256) ?? { threads: new Set<ThreadId>(), needed: false };
          use.threads.add(found.name.threadId);
          use.needed ||= line.needed;
          blobs.set(sha256, use);
        }
        for (const tree of line.trees) trees.add(tree);
      });
      rollouts.push({ ...found, ...head });
    } catch (error) {
      // Removed since it was found, so it refers to nothing.
      if (errorCode(error) === 'ENOENT') continue;
      unread.push({ path: found.path, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return { rollouts, blobs, trees, unread };
}

function readRollout(files: JournalDisk, path: string, visit: (line: ReturnType<typeof referencesIn>) => void) {
  return withOpenFile(openRolloutFile(files, path), async (file) => {
    const head = await readRolloutHead(file);
    for await (const block of splitLinesForward(file)) {
      for (const { bytes, isTooLong, at } of block) {
        // Its references are unknown, so nothing may be removed.
        if (isTooLong) throw new Error(`the line at byte ${at} is too long to be read`);
        visit(referencesIn(bytes));
      }
    }
    const meta = head.kind === 'meta' ? head.meta : undefined;
    return { meta, base: meta && historyBase(meta) };
  });
}

const hashKey = Buffer.from('"sha256":"');
const snapshotType = Buffer.from(`"type":"${lineType.snapshot}"`);

/** Takes any text that looks like a reference, unparsed. Users' text never does: its quotation marks are escaped. */
function referencesIn(bytes: Buffer): { blobs: readonly string[]; needed: boolean; trees: readonly string[] } {
  const isSnapshot = bytes.includes(snapshotType);
  if (!isSnapshot && !bytes.includes(hashKey)) return { blobs: [], needed: false, trees: [] };
  const blobs = [...bytes.toString('latin1').matchAll(/"sha256":"([0-9a-f]{64})"/g)].map(([, sha256]) => sha256!);
  const line = decodeLine(bytes);
  // A partial line may still be completed.
  if (line === 'bad' || line === 'blank') return { blobs, needed: true, trees: [] };
  const trees = isSnapshot ? ['tree', 'others', 'aim'].flatMap((key) => stringAt(line.payload, key) ?? []) : [];
  return { blobs, needed: line.type !== lineType.responseItem, trees };
}

export interface CollectedRevert {
  readonly thread: ThreadId;
  readonly path: string;
  /** The whole file, or the part after the last place that something continues from. */
  readonly what: 'file' | 'end';
  readonly bytes: number;
}

/**
 * Removes the parts of threads that reverts have put aside: files that no rollout continues from, and the ends of other
 * files after the last place that a rollout continues from. Holds each thread's lock meanwhile. Removes nothing if a
 * rollout is unreadable, because it may refer to any of them.
 */
async function collectReverted(options: RemovalOptions, references: References) {
  const reverted: CollectedRevert[] = [];
  const busy: ThreadId[] = [];
  if (references.unread.length > 0) return { reverted, busy };
  const { files, home, locks } = options;
  for (const [thread, rollouts] of Map.groupBy(references.rollouts, ({ name }) => name.threadId)) {
    if (rollouts.length < 2) continue;
    const held = await inFreeLock(locks, lockPath(home, thread), async () => {
      // The previous writer may have changed the files.
      const paths = new Set((await findThreadFiles(files, home, thread)).map(({ path }) => path));
      const isUnchanged = paths.size === rollouts.length && rollouts.every(({ path }) => paths.has(path));
      if (!isUnchanged) busy.push(thread);
      else reverted.push(...(await collectThread(options, rollouts, ends(references.rollouts))));
    });
    if (held !== undefined) busy.push(thread);
  }
  return { reverted, busy };
}

/** The end, in bytes, of the part of each rollout that others continue from. */
function ends(rollouts: readonly ReadRollout[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { base } of rollouts)
    if (base !== undefined) found.set(base.rolloutId, Math.max(base.endByte, found.get(base.rolloutId) ?? 0));
  return found;
}

async function collectThread(
  { files, dryRun }: RemovalOptions,
  rollouts: readonly ReadRollout[],
  usedEnds: ReadonlyMap<string, number>,
): Promise<readonly CollectedRevert[]> {
  const collected: CollectedRevert[] = [];
  // Newest first: the first file with metadata is the current thread; an empty file does not count.
  const current = rollouts.findIndex(({ meta }) => meta !== undefined);
  // Several files without a revert are copies made by another program.
  const newest = rollouts[current]?.name;
  if (newest === undefined || newest.rolloutId === newest.threadId) return [];
  for (const { path, name } of rollouts.slice(current + 1)) {
    const { threadId: thread, rolloutId, compressed } = name;
    const size = (await files.describe(path))?.size ?? 0;
    const end = usedEnds.get(rolloutId);
    if (end === undefined) {
      if (!dryRun) await files.remove(path);
      collected.push({ thread, path, what: 'file', bytes: size });
    } else if (!compressed && size > end) {
      if (!dryRun) {
        await withOpenFile(files.open(path, { create: false, mode: 0o600 }), async (file) => {
          await file.truncate(end);
          await file.sync();
        });
      }
      collected.push({ thread, path, what: 'end', bytes: size - end });
    }
    if (!dryRun) await files.syncDirectory(dirname(path));
  }
  return collected;
}
