import type { ProcessTable } from '../../../ports/system.ts';
import { type JsonObject, parseJsonObject } from '../../../protocol/json.ts';
import { errorCode } from '../../disk/file-system.ts';
import { processNamespace } from '../../disk/processes.ts';
import { blockProcess } from '../../disk/wait-for-lock.ts';
import { lstatSync, readlinkSync, rmdirSync, type Stats, symlinkSync, unlinkSync } from 'node:fs';

/** Held by one engine at a time; required to remove mount points. */
export interface MountLock {
  /** False once another engine has given up waiting and continued without the lock. */
  isRespected(): boolean;
  release(): void;
}

/** The lock is held for less than a millisecond, so after this time an invisible holder is assumed dead. */
const hiddenPatienceMs = 3_000;
/** Suffix of the entry beside the lock that records that an engine continued without it. */
const passedEnd = '-passed';

/**
 * Takes the lock: a link whose target names the holder, so that both appear atomically. Waits for a running holder,
 * removes the lock of one that has ended, and gives up after `patienceMs`.
 */
export function takeMountLock(path: string, asker: MountAsker, patienceMs: number): MountLock | 'busy' | 'no folder' {
  const name = JSON.stringify({ ...asker.self, turn: Math.random() });
  let seen = '';
  let seenSince = 0;
  // Counts pauses, not time: while the whole machine is suspended, no holder can finish.
  for (let waited = 0; ; waited += pause(waited)) {
    const answer = tryLock(path, name);
    if (answer !== 'taken') return answer;
    const holder = holderOf(path) ?? '';
    if (holder !== seen) [seen, seenSince] = [holder, waited];
    const named = readMountProcess(parseJsonObject(holder) ?? {});
    const life = named === undefined ? (holder === '' ? 'running' : 'hidden') : processState(named, asker);
    const isLeft = life === 'ended' || (life === 'hidden' && waited - seenSince >= hiddenPatienceMs);
    if (isLeft) removeLeftLock(path, holder, asker);
    if (waited >= patienceMs) return 'busy';
  }
}

/** Call this before continuing without the lock: a stopped holder that resumes then removes no more mount points. */
export function markMountLockPassed(path: string, { self }: MountAsker): void {
  tryLock(`${path}${passedEnd}`, JSON.stringify(self));
}

function tryLock(path: string, name: string): MountLock | 'taken' | 'busy' | 'no folder' {
  try {
    symlinkSync(name, path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return 'taken';
    return code === 'ENOENT' ? 'no folder' : 'busy';
  }
  const passed = `${path}${passedEnd}`;
  return {
    isRespected: () => entryAt(passed) === undefined && holderOf(path) === name,
    release() {
      if (holderOf(path) !== name) return;
      if (entryAt(passed) !== undefined) removeLock(passed);
      removeLock(path);
    },
  };
}

/** Needs a second lock. Without it, another process could remove the lock after our check and a third could take it. */
function removeLeftLock(path: string, holder: string, asker: MountAsker): void {
  const right = takeMountLock(`${path}-left`, asker, 0);
  if (typeof right === 'string') return;
  if (holderOf(path) === holder) removeLock(path);
  right.release();
}

/** The text that names the holder; undefined if there is no lock. Earlier versions used folders, without a name. */
function holderOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EINVAL') return undefined;
    const found = entryAt(path);
    return found && `${found.ino} ${found.ctimeMs}`;
  }
}

/** The entry itself; a link is not followed. */
export const entryAt = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

function removeLock(path: string): void {
  for (const remove of [unlinkSync, rmdirSync]) {
    try {
      return remove(path);
    } catch {
      // Earlier versions locked with a folder: try the other call. A lock that stays is removed after its holder's end.
    }
  }
}

function pause(waited: number): number {
  const ms = waited < 50 ? 1 : 5;
  blockProcess(ms);
  return ms;
}

export interface MountProcess {
  readonly process: number;
  /** Start time in the system's format: tells a process from a later one with the same id. */
  readonly startedAt: string;
  /** The process table to which the id belongs: containers have their own. */
  readonly processTable: string;
}

/** A user of mount points: an engine, for as long as its commands may run. */
export interface MountUser extends MountProcess {
  /** Folders that exist only because a sandbox needs them. Their last user removes them. */
  readonly folders: readonly string[];
  /** All folders that it mounts on, new or not. No engine removes them meanwhile. */
  readonly uses: readonly string[];
}

export type MountAsker = { readonly self: MountProcess; readonly processes: ProcessTable };
/** Replaces the start time of a finished use while one of its folders has to stay. */
export const endedUse = 'over';

/** This process. Its start is unknown on systems without a process table. */
export function ownProcess(processes: ProcessTable): MountProcess {
  const startedAt = processes.startedAt(process.pid) ?? '';
  return { process: process.pid, startedAt, processTable: processNamespace() };
}

/** `hidden`: in another container, or the table cannot be read now. */
export function processState(user: MountProcess, { self, processes }: MountAsker): 'running' | 'ended' | 'hidden' {
  if (systemStart(user) !== systemStart(self)) return 'ended';
  if (user.processTable !== self.processTable) return 'hidden';
  const startedAt = processes.startedAt(user.process);
  if (startedAt === user.startedAt) return 'running';
  // If not even this process is found, the table cannot be read, for example because too many files are open.
  return startedAt === undefined && processes.startedAt(self.process) === undefined ? 'hidden' : 'ended';
}

/** Undefined if a member is missing or invalid. */
export function readMountProcess({ process, startedAt, processTable }: JsonObject): MountProcess | undefined {
  if (typeof process !== 'number' || !Number.isSafeInteger(process) || process <= 0) return undefined;
  if (typeof startedAt !== 'string' || typeof processTable !== 'string') return undefined;
  return { process, startedAt, processTable };
}

/** The start of the system precedes that of the process in `startedAt`. */
const systemStart = ({ startedAt }: MountProcess): string => startedAt.split(' ', 1)[0] ?? '';
