import { join } from 'node:path';
import { parseThreadId } from '../protocol/ids.ts';
import type { CollectOptions } from './collect.ts';
import { lockFolder } from './names.ts';

/**
 * Removes lock files that nobody holds; gives their number. Each is locked while it goes, and so is the file that Codex
 * locks around taking and removing locks: nobody can be left with a lock on a file that has no name.
 */
export async function collectLocks({ files, home, locks, dryRun }: CollectOptions): Promise<number> {
  const folder = lockFolder(home);
  const names = (await files.list(folder)).filter((name) => parseThreadId(name.replace(/\.lock$/, '')) !== undefined);
  if (names.length === 0) return 0;
  const coordination = await locks.take(join(folder, '.coordination.lock'));
  // Somebody takes or removes locks this very moment: another time.
  if (coordination.kind === 'held') return 0;
  let removed = 0;
  try {
    for (const name of names) {
      const path = join(folder, name);
      const lock = await locks.take(path);
      if (lock.kind === 'held') continue;
      try {
        if (!dryRun) await files.remove(path);
        removed += 1;
      } finally {
        await lock.release();
      }
    }
  } finally {
    await coordination.release();
  }
  return removed;
}
