import { join } from 'node:path';
import { parseThreadId } from '../../protocol/ids.ts';
import type { CollectOptions } from './collect-options.ts';
import { lockFolder } from '../find/names.ts';

const atOnce = 20;

/**
 * Removes lock files that no process holds; gives their number. Each is locked while it goes, and so is the file that
 * Codex locks around taking and removing locks: no process is left with a lock on a file that has no name.
 */
export async function collectLocks(options: CollectOptions): Promise<number> {
  const { files, home, locks } = options;
  const folder = lockFolder(home);
  const names = (await files.list(folder)).filter((name) => parseThreadId(name.replace(/\.lock$/, '')) !== undefined);
  let removed = 0;
  // Few at a time: a Codex that wants a lock waits as long as the other file is locked.
  for (let i = 0; i < names.length; i += atOnce) {
    const coordination = await locks.take(join(folder, '.coordination.lock'));
    // Another process takes or removes locks at this moment: another time.
    if (coordination.kind === 'held') break;
    try {
      for (const name of names.slice(i, i + atOnce)) if (await removeFree(options, join(folder, name))) removed += 1;
    } finally {
      await coordination.release();
    }
  }
  return removed;
}

async function removeFree({ files, locks, dryRun }: CollectOptions, path: string): Promise<boolean> {
  const lock = await locks.take(path);
  if (lock.kind === 'held') return false;
  try {
    if (!dryRun) await files.remove(path);
    return true;
  } finally {
    await lock.release();
  }
}
