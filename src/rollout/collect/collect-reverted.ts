import { dirname } from 'node:path';
import type { ThreadId } from '../../protocol/ids.ts';
import type { CollectOptions } from './collect-options.ts';
import type { ReadRollout, References } from './collect-references.ts';
import { withOpen } from '../disk/open-file.ts';
import { findThreadFiles } from '../find/find-rollout.ts';
import { lockPath } from '../find/names.ts';

/** What a revert had put aside and is gone. */
export interface CollectedRevert {
  readonly thread: ThreadId;
  readonly path: string;
  /** The whole file, or what stood behind the last place that something continues from. */
  readonly what: 'file' | 'end';
  readonly bytes: number;
}

/**
 * Removes what reverts have put aside: files that no rollout continues from, and the ends of others behind the last
 * place that one continues from. Each thread is locked meanwhile. With a rollout that cannot be read nothing is
 * certain, and nothing goes.
 */
export async function collectReverted(
  options: CollectOptions,
  references: References,
): Promise<{ readonly reverted: readonly CollectedRevert[]; readonly busy: readonly ThreadId[] }> {
  const reverted: CollectedRevert[] = [];
  const busy: ThreadId[] = [];
  if (references.unread.length > 0) return { reverted, busy };
  const { files, home, locks } = options;
  for (const [thread, rollouts] of Map.groupBy(references.rollouts, ({ name }) => name.threadId)) {
    if (rollouts.length < 2) continue;
    const lock = await locks.take(lockPath(home, thread));
    if (lock.kind === 'held') {
      busy.push(thread);
      continue;
    }
    try {
      // The writer before us may have changed what there is.
      const paths = new Set((await findThreadFiles(files, home, thread)).map(({ path }) => path));
      const isUnchanged = paths.size === rollouts.length && rollouts.every(({ path }) => paths.has(path));
      if (!isUnchanged) busy.push(thread);
      else reverted.push(...(await collectThread(options, rollouts, ends(references.rollouts))));
    } finally {
      await lock.release();
    }
  }
  return { reverted, busy };
}

/** How far each rollout is part of others, in bytes. */
function ends(rollouts: readonly ReadRollout[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { base } of rollouts) {
    if (base !== undefined) found.set(base.rolloutId, Math.max(base.endByte, found.get(base.rolloutId) ?? 0));
  }
  return found;
}

async function collectThread(
  { files, dryRun }: CollectOptions,
  rollouts: readonly ReadRollout[],
  usedEnds: ReadonlyMap<string, number>,
): Promise<readonly CollectedRevert[]> {
  const collected: CollectedRevert[] = [];
  // Newest first: the first one is the thread as it is now. One that was never begun hides no other.
  const current = rollouts.findIndex(({ meta }) => meta !== undefined);
  // Several files without a revert are copies that another program has made.
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
        await withOpen(files.open(path, { create: false, mode: 0o600 }), async (file) => {
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
