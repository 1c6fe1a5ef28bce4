import type { Lock, LockHeld } from '../../../ports/files.ts';
import { fileSystem as fs, makeFolders } from '../../disk/file-system.ts';
import { isAlive } from '../../disk/processes.ts';
import { NotRegularFileError, openRegularFile, withRegularFile } from '../../disk/regular-files.ts';
import { dirname } from 'node:path';

export function createHeldLock(file: number, path: string, epoch: number): Lock {
  // Taking it takes milliseconds, so no two locks have the same epoch. The signature only informs others.
  writeLockOwner(file, lockOwnerLine(epoch, 'held'));
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => releaseLockFile(file);
  return {
    kind: 'lock',
    epoch,
    // As long as no file has the name, no other process can have this lock.
    isLost: async () => released === undefined && fileAtLockPath(file, path) === 'another file',
    // The file stays. Removing it is safe only if no process has just opened it for locking; otherwise two writers hold
    // locks on two files of one name. Codex has a second lock for that; an empty file is harmless, and Codex sweeps it.
    release: () => (released ??= release()),
  };
}

export function openLock(path: string): number {
  makeFolders(dirname(path), 0o700);
  // Commands may reach the folder of a lock: do not follow a link there.
  try {
    return openRegularFile(path, { links: 'refused', flags: fs.constants.O_RDWR | fs.constants.O_CREAT, mode: 0o600 })
      .file;
  } catch (error) {
    throw error instanceof NotRegularFileError ? new Error(`${path} is not a file.`, { cause: error }) : error;
  }
}

/** Writes the line about the holder; false if that failed, for instance on a full disk. */
export function writeLockOwner(file: number, text: string): boolean {
  try {
    fs.ftruncateSync(file, 0);
    return text === '' || fs.writeSync(file, text, 0) === text.length;
  } catch {
    return false;
  }
}

export function releaseLockFile(file: number): void {
  writeLockOwner(file, '');
  fs.closeSync(file);
}

export const lockHeldBy = (file: number): LockHeld => ({ kind: 'held', owner: ownerOf(file) });
/** The holder of a lock as far as visible without taking it. Undefined: no known holder. */
export const lockOwner = (path: string): string | undefined =>
  ifReadable(() => withRegularFile(path, { links: 'refused' }, ownerOf));

/** If the process that signed is dead, it crashed. The lock then has a holder that has not signed, or none. */
function ownerOf(file: number): string | undefined {
  const { by } = parseLockOwner(file);
  const lives = by === undefined ? 'no' : signerLives(by);
  if (lives === 'yes') return by?.owner;
  const holder = process.platform === 'linux' ? lockHolder(file) : undefined;
  if (lives === 'no') return holder?.name;
  return holder === undefined && process.platform === 'linux' ? undefined : by?.owner;
}

/** The process that took the lock according to the system. It may have passed the lock on and ended. */
function lockHolder(file: number): { readonly name?: string } | undefined {
  let held: { readonly name?: string } | undefined;
  try {
    const { ino } = fs.fstatSync(file, { bigint: true });
    for (const line of fs.readFileSync('/proc/locks', 'latin1').split('\n')) {
      const [, kind, , , pid = '', place = ''] = line.trim().split(/\s+/);
      if (kind !== 'FLOCK' || place.split(':')[2] !== String(ino)) continue;
      held ??= {};
      if (Number(pid) > 0) held = { name: `${fs.readFileSync(`/proc/${pid}/comm`, 'latin1').trim()} pid ${pid}` };
    }
  } catch {
    // Optional: without it the holder is just another program.
  }
  return held;
}

export function fileAtLockPath(file: number, path: string): 'our file' | 'another file' | 'nothing' {
  const named = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  if (named === undefined) return 'nothing';
  const ours = fs.fstatSync(file, { bigint: true });
  return ours.ino === named.ino && ours.dev === named.dev ? 'our file' : 'another file';
}

/**
 * How long (ms) the signature of a process that is about to lock counts if that process cannot be checked: it may run
 * in another container or on another machine.
 */
export const beginningOwnerValidMs = 2000;
const signed = /^(capstan pid (\d+) since (\S+))(?: (in|begins) (\S+) (\S+))?\n/;

export interface LockOwner {
  readonly owner: string;
  readonly pid: number;
  readonly since: number;
  readonly begins: boolean;
  /** Distinguishes its process from others with the same number. Absent: not stated. */
  readonly process?: { readonly space: string; readonly started: string };
}

export function lockOwnerLine(epoch: number, state: 'held' | 'begins'): string {
  const about = `${state === 'held' ? 'in' : 'begins'} ${processSpace()} ${startOf(process.pid) ?? '-'}`;
  return `capstan pid ${process.pid} since ${new Date(epoch).toISOString()} ${about}\n`;
}

export function parseLockOwner(file: number): { readonly text: string; readonly by?: LockOwner } {
  const buffer = Buffer.alloc(300);
  const text = buffer.toString('latin1', 0, fs.readSync(file, buffer, 0, buffer.length, 0));
  const [, owner, pid, since = '', state, space, started] = signed.exec(text) ?? [];
  if (owner === undefined) return { text };
  const about = { owner, pid: Number(pid), since: Date.parse(since), begins: state === 'begins' };
  return { text, by: space === undefined || started === undefined ? about : { ...about, process: { space, started } } };
}

/** `unknown`: the signer cannot be seen from here, and signed just now. Soon it has taken the lock or never will. */
export function isAboutToLock(by: LockOwner, now: number): 'yes' | 'no' | 'unknown' {
  if (!by.begins) return 'no';
  const lives = signerLives(by);
  const age = now - by.since;
  return lives !== 'unknown' || (age >= 0 && age < beginningOwnerValidMs) ? lives : 'no';
}

/** `unknown`: the signer's process number has no meaning here, or it may be another process's now. */
function signerLives({ pid, process: signer }: LockOwner): 'yes' | 'no' | 'unknown' {
  if (!isAlive(pid) && (signer === undefined || signer.space === processSpace())) return 'no';
  if (signer === undefined || signer.space !== processSpace() || signer.started === '-') return 'unknown';
  return startOf(pid) === signer.started ? 'yes' : 'no';
}

let space: string | undefined;
/** Scope in which process numbers are comparable: the boot of the machine, and the container. */
function processSpace(): string {
  const boot = (): string => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  const container = (): string => fs.readlinkSync('/proc/self/ns/pid').replaceAll(/\s/g, '_');
  return (space ??= `${ifReadable(boot) ?? '-'}/${ifReadable(container) ?? '-'}`);
}

const startOf = (pid: number): string | undefined =>
  ifReadable(() => fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[19]);

function ifReadable<Found>(read: () => Found): Found | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
