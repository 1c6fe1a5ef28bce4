import type { EngineRefused } from '../../engine/engine-refused.ts';
import type { StoredThreads } from '../../engine/stored-threads.ts';
import type { InsightHost } from './insight-host.ts';

/**
 * Changes the shown thread as a whole. The engine gives it up for that; this terminal takes it again at once, so that
 * no other program continues the conversation that the user has open here, and figures are those of the changed thread.
 */
export async function changeWhole<Result>(
  host: InsightHost,
  work: (stored: StoredThreads) => Promise<Result | EngineRefused>,
): Promise<Result | EngineRefused> {
  const { threads } = host.parts;
  const { id } = host.thread;
  const done = await threads.whole(id, work);
  const held = await threads.load(id);
  if (held.kind === 'refused') host.refused(held.outcome);
  return done;
}
