import { basename } from 'node:path';
import { systemClock, systemIds } from '../../adapters/gather/clock-and-ids.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { localTime, rolloutPath } from '../../adapters/rollout/files/rollout-paths.ts';

const ids = systemIds(systemClock);
export const newThreadId = (): ThreadId => ids.uuid() as ThreadId;

/** Names the file of a thread that began then, or now if that is unknown. */
export function rolloutFileName(id: ThreadId, startedAt: number): string {
  return basename(rolloutPath('', id, localTime(Number.isNaN(startedAt) ? systemClock.now() : startedAt)));
}
