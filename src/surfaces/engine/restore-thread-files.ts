import { systemClock } from '../../gather/system-clock.ts';
import { systemIds } from '../../gather/system-ids.ts';
import { withDeniedReads } from '../../policy/denied-reads.ts';
import type { Requirements } from '../../policy/requirements.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { lastSettings } from '../../state/resumed-settings.ts';
import { readPlaces } from '../../thread/find-turn.ts';
import { foldThread } from '../../thread/resume.ts';
import { firstTaken, type RollbackTo } from '../../thread/rollback-range.ts';
import { deniedBy } from '../../thread/turn-effects.ts';
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
export async function restoreThreadFiles(
  { options: { env, osHome }, base: { home, config, requirements }, store: threads }: RestoringParts,
  id: ThreadId,
  target: RestoreTarget,
  options: RestoreOptions,
): Promise<RestoreReport | EngineRefused> {
  const ids = systemIds(systemClock);
  const snapshots = lazySnapshots({ env, osHome, home, config, ids, clock: systemClock });
  const denies = await deniedIn(threads, id, requirements);
  return restoreFiles({ home, threads, snapshots, disk, ids, denies }, id, target, options);
}

/** What the next turn of the thread could not read. */
async function deniedIn(
  threads: RolloutStore,
  id: ThreadId,
  requirements: Requirements,
): Promise<(path: string) => boolean> {
  const { profile = { type: 'disabled' }, cwd = '/' } = lastSettings((await foldThread(threads, id)).state);
  const places = { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [] };
  return deniedBy(resolvePolicy(withDeniedReads(requirements, profile), places));
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
