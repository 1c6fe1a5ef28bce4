import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess } from '../process-identity.ts';
import { isOurs } from './kept-variables.ts';

/** Who captures now: one process for the same question, so that a slow login shell is not started many times at once. */
export type CaptureLock = 'taken' | { readonly kind: 'held'; readonly since: number } | 'unavailable';

/** Between its making and its first word a lock names no process. */
const unsignedMs = 10_000;
/** A login shell that hangs for ever does not keep others from trying. */
const longestMs = 60 * 60 * 1000;

/**
 * Two processes that find the same lock stale at the same moment may both take it. Then two shells run at once, which
 * is slow and does no harm.
 */
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
    const file = openSync(lockOf(folder, key), constants.O_WRONLY | constants.O_NOFOLLOW);
    writeSync(file, `${pid} ${startedAt ?? ''}`);
    closeSync(file);
  } catch {
    // A lock that names no process counts as stale soon.
  }
}

export function releaseCaptureLock(folder: string, key: string): void {
  try {
    rmSync(lockOf(folder, key), { force: true });
  } catch {
    // The process that it names ends, and then it counts no more.
  }
}

function lockOf(folder: string, key: string): string {
  return join(folder, `${key}.lock`);
}

function make(path: string): 'taken' | 'exists' | 'unavailable' {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600));
    return 'taken';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST' ? 'exists' : 'unavailable';
  }
}

/** When the capture began that the lock stands for; undefined when it is over or was never ours. */
async function heldSince(path: string, now: number): Promise<number | undefined> {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(file);
    if (!found.isFile() || !isOurs(found) || found.size > 200) return undefined;
    const age = now - found.mtimeMs;
    const [pid = '', ...words] = readFileSync(file, 'latin1').split(' ');
    if (pid === '') return age < unsignedMs ? found.mtimeMs : undefined;
    const isRunning = words.join(' ') === ((await identifyProcess(Number(pid))) ?? '-');
    return isRunning && age < longestMs ? found.mtimeMs : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
