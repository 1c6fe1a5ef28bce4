import { systemClock } from '../../gather/system-clock.ts';
import { systemIds } from '../../gather/system-ids.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { readPlaces } from '../../thread/find-turn.ts';
import { firstTaken, type RollbackTo } from '../../thread/rollback-range.ts';
import { nodeWorkspaceDisk as disk } from '../../workspace/node-workspace-disk.ts';
import {
  restoreFiles,
  type RestoreOptions,
  type RestoreReport,
  type RestoreTarget,
} from '../../workspace/restore-files.ts';
import { type EngineRefused, refused } from './engine-refused.ts';
import { lazySnapshots } from './lazy-snapshots.ts';
import type { OpeningParts } from './prepare-thread.ts';

type RestoringParts = Pick<OpeningParts, 'options' | 'base' | 'store'>;

/** Takes a snapshot of what is there before it brings files back: that can be undone too. */
export function restoreThreadFiles(
  { options: { env, osHome }, base: { home, config }, store: threads }: RestoringParts,
  id: ThreadId,
  target: RestoreTarget,
  options: RestoreOptions,
): Promise<RestoreReport | EngineRefused> {
  const ids = systemIds(systemClock);
  const snapshots = lazySnapshots({ env, osHome, home, config, ids, clock: systemClock });
  return restoreFiles({ home, threads, snapshots, disk, ids }, id, target, options);
}

/** To before the first turn that a rollback would take back. */
export async function restoreRolledBackFiles(
  parts: RestoringParts,
  id: ThreadId,
  to: RollbackTo,
  options: RestoreOptions,
): Promise<RestoreReport | EngineRefused> {
  const first = firstTaken(id, await readPlaces(parts.store, id), to);
  return 'code' in first ? refused(first) : restoreThreadFiles(parts, id, { beforeTurn: first.id }, options);
}
