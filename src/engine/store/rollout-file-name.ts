import { basename } from 'node:path';
import { systemClock, systemIds } from '../../adapters/gather/clock-and-ids.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { localTime, rolloutPath } from '../../adapters/rollout/files/rollout-paths.ts';

const ids = systemIds(systemClock);

export function newThreadId(): ThreadId {
  return ids.uuid() as ThreadId;
}

/** What the file of a thread is called that began then; now, where that is not known. */
export function rolloutFileName(id: ThreadId, startedAt: number): string {
  return basename(rolloutPath('', id, localTime(Number.isNaN(startedAt) ? systemClock.now() : startedAt)));
}
