import type { AsideRollout } from '../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import { onDisk } from './disk/disk-fault.ts';
import { historyBase } from './lines/history-base.ts';
import { readHead } from './lines/read-head.ts';
import type { RolloutFiles } from './rollout-files.ts';

/** The rollouts of a thread that its current one does not wholly continue from, oldest first. */
export async function asideRollouts(rollouts: RolloutFiles, id: ThreadId): Promise<readonly AsideRollout[]> {
  const { rollouts: found } = await rollouts.find(id);
  const [newest] = found;
  // Several files without a revert are copies that another program has made.
  if (found.length < 2 || newest === undefined || newest.name.rolloutId === id) return [];
  const own = await rollouts.openNewest(id, found, 'read');
  if (own.kind === 'refused') return [];
  const { segments, close } = await rollouts.openHistory(own);
  await close();
  /** How far each is part of the thread as it is now. */
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

/** The first line that a rollout does not take over. Undefined: nothing was saved in it. */
async function firstOwn(rollouts: RolloutFiles, rolloutId: string): Promise<Ordinal | undefined> {
  const opened = await rollouts.openRollout(rolloutId);
  if (opened === undefined) return undefined;
  const { path, file } = opened;
  const head = await onDisk('read', path, () => readHead(file)).finally(() => file.close());
  return head.kind === 'meta' ? (historyBase(head.meta)?.end ?? (0 as Ordinal)) : undefined;
}
