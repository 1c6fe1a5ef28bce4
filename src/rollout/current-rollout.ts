import type { CurrentRollout, OpenRefused } from '../ports/rollout-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { diskFault } from './disk/disk-fault.ts';
import { historyMode } from './lines/history-base.ts';
import { readHead } from './lines/read-head.ts';
import { unreadableThread } from './refusals.ts';
import type { RolloutFiles } from './rollout-files.ts';

/** Which file is the thread's now, and what its first line says. */
export async function currentRollout(rollouts: RolloutFiles, id: ThreadId): Promise<CurrentRollout | OpenRefused> {
  const found = await rollouts.find(id);
  const opened = await rollouts.openNewest(id, found.rollouts, 'read');
  if (opened.kind === 'refused') return opened;
  const { rolloutId, path, file } = opened;
  try {
    const head = await readHead(file);
    const meta = head.kind === 'meta' ? head.meta : undefined;
    const mode = meta === undefined ? undefined : historyMode(meta);
    if (meta === undefined || mode === undefined) {
      return unreadableThread({ id, path }, 'its first line does not describe a thread in a form that is known here');
    }
    return { kind: 'current', rolloutId, location: path, mode, archived: found.kind === 'archived', meta };
  } catch (error) {
    throw diskFault(error, 'read', path);
  } finally {
    await file.close();
  }
}
