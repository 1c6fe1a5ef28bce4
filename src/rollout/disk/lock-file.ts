import { dirname } from 'node:path';
import type { Lock, LockHeld } from '../../ports/files.ts';
import { errorCode, fileSystem as fs } from '../../disk/file-system.ts';
import { firstMissing } from '../../disk/folders.ts';
import { NotRegular, openRegular, withRegular } from '../../disk/regular-file.ts';
import { readSignature, signatureOf, signerLives } from './lock-signature.ts';

/** A lock on an open file that is ours. */
export function ownedLock(file: number, path: string, epoch: number): Lock {
  // To take it takes milliseconds: no two have the same epoch. The signature is a courtesy to whom we refuse.
  signLock(file, signatureOf(epoch, 'held'));
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => leaveLock(file);
  return {
    kind: 'lock',
    epoch,
    // As long as no file has the name, no other process has a lock on one.
    isLost: async () => released === undefined && nameOf(file, path) === 'another file',
    // The file stays. To remove it, one must be sure that no process has just opened it to lock it, or two writers hold
    // locks on two files of one name. Codex has a second lock for that; an empty file does no harm, and Codex sweeps
    // it.
    release: () => (released ??= release()),
  };
}

/** Opens the file of a lock, which is made if missing, its folder too. */
export function openLock(path: string): number {
  makeFolder(dirname(path));
  // A lock may stand beside a file that commands can reach: a link there must not have us write elsewhere.
  try {
    return openRegular(path, { links: 'refused', flags: fs.constants.O_RDWR | fs.constants.O_CREAT, mode: 0o600 }).file;
  } catch (error) {
    throw error instanceof NotRegular ? new Error(`${path} is not a file.`, { cause: error }) : error;
  }
}

/** Puts the one line about the holder into the file, and says whether it could: a full disk has no place for it. */
export function signLock(file: number, text: string): boolean {
  try {
    fs.ftruncateSync(file, 0);
    return text === '' || fs.writeSync(file, text, 0) === text.length;
  } catch {
    return false;
  }
}

export function leaveLock(file: number): void {
  signLock(file, '');
  fs.closeSync(file);
}

export function lockHeldBy(file: number): LockHeld {
  const owner = ownerOf(file);
  return owner === undefined ? { kind: 'held' } : { kind: 'held', owner };
}

/** Who holds a lock, as far as it can be seen without taking it. Undefined: no one that is known. */
export function lockOwner(path: string): string | undefined {
  try {
    return withRegular(path, { links: 'refused' }, ownerOf);
  } catch {
    // No one has locked it yet, or it cannot be read.
    return undefined;
  }
}

/** A line without its process was left by a crash: then the lock has another holder, who wrote nothing, or none. */
function ownerOf(file: number): string | undefined {
  const { by } = readSignature(file);
  const lives = by === undefined ? 'no' : signerLives(by);
  if (lives === 'yes') return by?.owner;
  const holder = process.platform === 'linux' ? lockHolder(file) : undefined;
  if (lives === 'no') return holder?.name;
  return holder === undefined && process.platform === 'linux' ? undefined : by?.owner;
}

/** Who the system says has the lock. It names the process that took it, which may have handed it on and ended. */
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
    // A courtesy: without it the holder is just another program.
  }
  return held;
}

/** What the name leads to. */
export function nameOf(file: number, path: string): 'our file' | 'another file' | 'nothing' {
  const named = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  if (named === undefined) return 'nothing';
  const ours = fs.fstatSync(file, { bigint: true });
  return ours.ino === named.ino && ours.dev === named.dev ? 'our file' : 'another file';
}

function makeFolder(path: string): void {
  const options = { recursive: true, mode: 0o700 };
  try {
    fs.mkdirSync(path, options);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(firstMissing(path), { mode: 0o700 });
    fs.mkdirSync(path, options);
  }
}
