import type { Lock, LockHeld } from '../../ports/files.ts';
import { fileSystem as fs } from '../../disk/file-system.ts';
import { leaveLock, nameOf, openLock, ownedLock, signLock } from './lock-file.ts';
import { type FlockOptions, lockOpenFile } from './lock-program.ts';
import { mostBegun, readSignature, signatureOf } from './lock-signature.ts';

/** When the lock is taken that other programs see. A start has sent its first request by then. */
const lockAfter = 100;

/**
 * A lock whose file is signed now and locked soon. To run the program that locks costs a start about seven milliseconds,
 * and no other process knows of a thread that begins. Processes of Capstan go by the signature: it holds as long as its
 * process lives, and where they cannot see that, for a limited time. Then, and to a program that goes by `flock` alone
 * and is first, this lock is lost: its owner writes nothing more.
 *
 * Undefined: it has to be taken at once.
 */
export function beginLock(
  path: string,
  { clock, programs, lockers }: Required<FlockOptions>,
  pauses: readonly number[],
): Lock | undefined {
  // Where none of them is, the caller hears it before anything is sent.
  if (!lockers.some(({ command }) => programs.find(command) !== undefined)) return undefined;
  const file = openLock(path);
  const epoch = clock.now();
  const signature = signatureOf(epoch, 'begins');
  if (fs.fstatSync(file).size > 0 || !signLock(file, signature)) {
    fs.closeSync(file);
    return undefined;
  }
  const releasing = new AbortController();
  let locking: Promise<Lock | LockHeld> | undefined;
  let released: Promise<void> | undefined;

  const isOurs = (): boolean => readSignature(file).text === signature && nameOf(file, path) !== 'another file';

  const leave = (): void => (isOurs() ? leaveLock(file) : fs.closeSync(file));

  async function isTaken(): Promise<boolean> {
    for (const pause of [...pauses, ...pauses]) {
      if ((await lockOpenFile(file, lockers, programs)) === 'taken') return true;
      await clock.sleep(pause);
    }
    return false;
  }

  async function lockNow(): Promise<Lock | LockHeld> {
    let isKept = false;
    try {
      if (!(await isTaken()) || !isOurs()) return { kind: 'held' };
      isKept = nameOf(file, path) === 'our file';
    } finally {
      if (!isKept) leave();
    }
    return isKept ? ownedLock(file, path, epoch) : lockAnew();
  }

  /** A program that sweeps lock files has removed it, because it was not locked. Lost if another has made one since. */
  async function lockAnew(): Promise<Lock | LockHeld> {
    let fresh: number;
    try {
      fresh = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL, 0o600);
    } catch {
      return { kind: 'held' };
    }
    const isLocked = await lockOpenFile(fresh, lockers, programs).catch(() => 'held');
    if (isLocked === 'taken' && nameOf(fresh, path) === 'our file') return ownedLock(fresh, path, epoch);
    fs.closeSync(fresh);
    return { kind: 'held' };
  }

  const settle = (): Promise<Lock | LockHeld> => (locking ??= lockNow());

  async function lockSoon(): Promise<void> {
    await clock.sleep(lockAfter, releasing.signal);
    // A failure is for the next that asks whether the lock is lost.
    if (released === undefined) await settle().catch(() => {});
  }

  async function release(): Promise<void> {
    releasing.abort();
    if (locking === undefined) return leave();
    const lock = await locking.catch(() => undefined);
    if (lock?.kind === 'lock') await lock.release();
  }

  void lockSoon();
  return {
    kind: 'lock',
    epoch,
    async isLost() {
      if (released !== undefined) return false;
      // Half of the time that others wait: what follows takes time, too.
      const isYoung = clock.now() - epoch < mostBegun / 2;
      if (locking === undefined && isYoung) return !isOurs();
      const lock = await settle();
      return lock.kind === 'held' || lock.isLost();
    },
    release: () => (released ??= release()),
  };
}
