import { join } from 'node:path';
import { errorCode, fileSystem } from '../../disk/file-system.ts';
import { readOwnFile } from '../../disk/own-file.ts';
import { withRegular } from '../../disk/regular-file.ts';
import { identifyProcess } from '../processes/process-identity.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = fileSystem.constants;

/** Who captures now: one process for the same question, so that a slow login shell is not started many times at once. */
export type CaptureLock = 'taken' | { readonly kind: 'held'; readonly since: number } | 'unavailable';

/** Between its making and its first word a lock names no process. */
const unsignedMs = 10_000;
/** A login shell that hangs for ever does not keep others from trying. */
const longestMs = 60 * 60 * 1000;

/** Two processes that find one lock stale at once may both take it: then two shells run, which does no harm. */
export async function takeCaptureLock(folder: string, key: string, now: number): Promise<CaptureLock> {
  for (const last of [false, true]) {
    const made = make(lockOf(folder, key));
    if (made !== 'exists') return made;
    const since = await heldSince(lockOf(folder, key), now);
    if (since !== undefined) return { kind: 'held', since };
    if (!last) releaseCaptureLock(folder, key);
  }
  return 'unavailable';
}

/** Names the process that the lock ends with. */
export async function signCaptureLock(folder: string, key: string, pid: number): Promise<void> {
  const startedAt = await identifyProcess(pid);
  try {
    // Not made again: the capture may have ended meanwhile.
    withRegular(lockOf(folder, key), { links: 'refused', flags: O_WRONLY }, (file) =>
      fileSystem.writeSync(file, `${pid} ${startedAt ?? ''}`),
    );
  } catch {
    // A lock that names no process counts as stale soon.
  }
}

export function releaseCaptureLock(folder: string, key: string): void {
  try {
    fileSystem.rmSync(lockOf(folder, key), { force: true });
  } catch {
    // The process that it names ends, and then it counts no more.
  }
}

function lockOf(folder: string, key: string): string {
  return join(folder, `${key}.lock`);
}

function make(path: string): 'taken' | 'exists' | 'unavailable' {
  try {
    withRegular(path, { links: 'refused', flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600 }, () => undefined);
    return 'taken';
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? 'exists' : 'unavailable';
  }
}

/** When the capture began that the lock stands for; undefined when it is over or was never ours. */
async function heldSince(path: string, now: number): Promise<number | undefined> {
  const lock = readOwnFile(path, { maxBytes: 200, toOthers: 'readable' });
  if (lock === undefined) return undefined;
  const { mtimeMs } = lock.stats;
  const [pid = '', ...words] = lock.bytes.toString('latin1').split(' ');
  if (pid === '') return now - mtimeMs < unsignedMs ? mtimeMs : undefined;
  const isRunning = words.join(' ') === ((await identifyProcess(Number(pid))) ?? '-');
  return isRunning && now - mtimeMs < longestMs ? mtimeMs : undefined;
}
