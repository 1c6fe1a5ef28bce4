import type { ProcessTable } from '../../../ports/system.ts';
import { type JsonObject, parseJsonObject } from '../../../protocol/json.ts';
import { errorCode } from '../../disk/file-system.ts';
import { blockFor } from '../../disk/wait-for-lock.ts';
import { lstatSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';

/** The right to remove mount points, which one engine has at a time. */
export interface MountLock {
  /** False once another engine has waited for so long that it continued without the lock. */
  isRespected(): boolean;
  release(): void;
}

/** The lock is held for less than a millisecond: after this time, that of a process that cannot be seen was left. */
const hiddenPatienceMs = 3_000;

/** Stands beside the lock once an engine continued without it. */
const passedEnd = '-passed';

/**
 * Takes the lock: a link whose target names its holder, so that it is made together with its content. Waits while the
 * holder runs, removes the lock of one that has ended, and gives up after `patienceMs`.
 */
export function takeMountLock(path: string, asker: MountAsker, patienceMs: number): MountLock | 'busy' | 'no folder' {
  const name = JSON.stringify({ ...asker.self, turn: Math.random() });
  let seen = '';
  let seenSince = 0;
  // Pauses are counted, not the time: while the whole machine stands still, no holder can end its work.
  for (let waited = 0; ; waited += pause(waited)) {
    const answer = tryLock(path, name);
    if (answer !== 'taken') return answer;
    const holder = holderOf(path) ?? '';
    if (holder !== seen) [seen, seenSince] = [holder, waited];
    const life = holder === '' ? 'running' : lifeOfHolder(holder, asker);
    const isLeft = life === 'ended' || (life === 'hidden' && waited - seenSince >= hiddenPatienceMs);
    if (isLeft) removeLeftLock(path, holder, asker);
    if (waited >= patienceMs) return 'busy';
  }
}

/**
 * To be called before continuing without the lock. Its holder may have been stopped in the middle of its work: it will
 * learn of this before it removes anything.
 */
export function passMountLock(path: string, { self }: MountAsker): void {
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
    isRespected: () => !exists(passed) && holderOf(path) === name,
    release() {
      if (holderOf(path) !== name) return;
      if (exists(passed)) removeLock(passed);
      removeLock(path);
    },
  };
}

/**
 * Only one process at a time may do this, the holder of a second lock: between looking and removing, another would
 * otherwise remove the lock and a third would take it.
 */
function removeLeftLock(path: string, holder: string, asker: MountAsker): void {
  const right = takeMountLock(`${path}-left`, asker, 0);
  if (typeof right === 'string') return;
  if (holderOf(path) === holder) removeLock(path);
  right.release();
}

function lifeOfHolder(holder: string, asker: MountAsker): ReturnType<typeof processState> {
  const named = readMountProcess(parseJsonObject(holder) ?? {});
  return named === undefined ? 'hidden' : processState(named, asker);
}

/** The text that names the holder; undefined if there is no lock. Earlier versions made folders, without a name. */
function holderOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EINVAL') return undefined;
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found === undefined ? undefined : `${found.ino} ${found.ctimeMs}`;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function removeLock(path: string): void {
  for (const remove of [unlinkSync, rmdirSync]) {
    try {
      return remove(path);
    } catch {
      // It is of the other kind, or gone already. One that stays counts as left when its holder has ended.
    }
  }
}

/** Waits, longer the longer it has taken, and says for how long. */
function pause(waited: number): number {
  const ms = waited < 50 ? 1 : 5;
  blockFor(ms);
  return ms;
}

/** A process by which engines know each other again. */
export interface MountProcess {
  readonly process: number;
  /** When that process was started, in words of the system. Another process of the number is not this one. */
  readonly startedAt: string;
  /** In which table of processes it has its number: containers have tables of their own. */
  readonly processTable: string;
}

/** A user of mount points: an engine, for as long as its commands may run. */
export interface MountUser extends MountProcess {
  /** Folders that exist only because a sandbox needs them. Their last user removes them. */
  readonly folders: readonly string[];
  /** All folders that it mounts on, whether or not they were there before. No engine removes them meanwhile. */
  readonly uses: readonly string[];
}

/** Who asks about other processes, and whom it asks. */
export interface MountAsker {
  readonly self: MountProcess;
  readonly processes: ProcessTable;
}

/** What stands in the place of a start for a use that is over, while a folder of it has to stay. */
export const endedUse = 'over';

/** The process that runs this code. Its start is unknown on systems without a table of processes. */
export function ownProcess(processes: ProcessTable): MountProcess {
  return {
    process: process.pid,
    startedAt: processes.startedAt(process.pid) ?? '',
    processTable: ownProcessTable(),
  };
}

/** `hidden`: it cannot be seen from here, because it is in another container or the table cannot be read now. */
export function processState(user: MountProcess, { self, processes }: MountAsker): 'running' | 'ended' | 'hidden' {
  if (systemStart(user) !== systemStart(self)) return 'ended';
  if (user.processTable !== self.processTable) return 'hidden';
  const startedAt = processes.startedAt(user.process);
  if (startedAt === user.startedAt) return 'running';
  // A table in which not even this process is found cannot be read: too many files are open, for instance.
  return startedAt === undefined && processes.startedAt(self.process) === undefined ? 'hidden' : 'ended';
}

/** The members by which a process is known; undefined if there is anything else in their place. */
export function readMountProcess({ process, startedAt, processTable }: JsonObject): MountProcess | undefined {
  if (typeof process !== 'number' || !Number.isSafeInteger(process) || process <= 0) return undefined;
  if (typeof startedAt !== 'string' || typeof processTable !== 'string') return undefined;
  return { process, startedAt, processTable };
}

/** The start of a process is written after the start of the system. */
function systemStart({ startedAt }: MountProcess): string {
  return startedAt.split(' ', 1)[0] ?? '';
}

function ownProcessTable(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
