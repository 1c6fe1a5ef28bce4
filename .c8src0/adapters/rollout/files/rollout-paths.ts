import { join } from 'node:path';
import type { Clock } from '../../../ports/system.ts';
import type { JournalDisk, Locks } from '../../../ports/files.ts';
import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';

export type HomePorts = {
  readonly home: string;
  readonly files: JournalDisk;
  readonly locks: Locks;
  readonly clock: Clock;
};
/** Local date and time. Months and days count from 1. */
type WallTime = Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>>;
export type LocalTime = (milliseconds: number) => WallTime;

export const localTime: LocalTime = (milliseconds) => {
  const date = new Date(milliseconds);
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  };
};

export const sessionsFolder = (home: string): string => join(home, 'sessions');
export const archiveFolder = (home: string): string => join(home, 'archived_sessions');
export const lockFolder = (home: string): string => join(home, 'thread-writer-locks');
export const lockPath = (home: string, id: ThreadId): string => join(lockFolder(home), `${id}.lock`);

/** Path of the rollout of a thread that starts at this local time; a revert's rollout has its own id. */
export function rolloutPath(home: string, id: ThreadId, at: WallTime, rolloutId: string = id): string {
  const date = [String(at.year).padStart(4, '0'), ...[at.month, at.day].map(twoDigits)];
  const time = [at.hour, at.minute, at.second].map(twoDigits);
  const ids = rolloutId === id ? id : `${id}_${rolloutId}`;
  return join(sessionsFolder(home), ...date, `rollout-${date.join('-')}T${time.join('-')}-${ids}.jsonl`);
}

/** Path of an unarchived file with this name, from the date in the name. */
export function unarchivedPath(home: string, fileName: string): string {
  const [, year = '', month = '', day = ''] = /^rollout-(\d{4})-(\d\d)-(\d\d)T/.exec(fileName) ?? [];
  return join(sessionsFolder(home), year, month, day, fileName);
}

export interface RolloutName {
  readonly threadId: ThreadId;
  /** Differs from the thread id in a file made by a revert. */
  readonly rolloutId: string;
  /** Local time, `YYYY-MM-DDTHH-MM-SS`. */
  readonly startedAt: string;
  readonly compressed: boolean;
}

const pattern = /^rollout-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-([^_]+?)(?:_([^_]+?))?\.jsonl(\.zst)?$/;

/** Undefined when it is not the name of a rollout. */
export function parseRolloutName(name: string): RolloutName | undefined {
  const [, startedAt, thread, rollout, compressed] = pattern.exec(name) ?? [];
  if (startedAt === undefined || thread === undefined) return undefined;
  const threadId = parseThreadId(thread);
  const rolloutId = parseThreadId(rollout ?? thread);
  if (threadId === undefined || rolloutId === undefined) return undefined;
  return { threadId, rolloutId, startedAt, compressed: compressed !== undefined };
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
