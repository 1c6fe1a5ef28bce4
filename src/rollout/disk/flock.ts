import { dirname, join } from 'node:path';
import type { Lock, LockHeld, Locks } from '../../ports/files.ts';
import { fileSystem as fs } from '../../disk/file-system.ts';
import { beginLock } from './begun-lock.ts';
import { lockHeldBy, nameOf, openLock, ownedLock } from './lock-file.ts';
import { type FlockOptions, lockOpenFile, lockPrograms } from './lock-program.ts';
import { isBeginning, mostBegun, readSignature } from './lock-signature.ts';

/**
 * How long to wait before each further try. Codex locks every stale lock file for an instant when it sweeps them away,
 * so a lock that is busy once need not have an owner.
 */
const pauses = [10, 20, 30, 40];

/** While a process may be about to take it. */
const begunPause = 50;

/** Stands in a folder in which a lock could be taken. */
const proof = '.capstan-locks-work';

type Tried = Lock | LockHeld | { readonly kind: 'begun' };

/**
 * Locks that other programs see too: `flock` on the file, as Codex does it. The few calls around the program that locks
 * are synchronous, so that it runs as soon as `take` was called and the caller has its time.
 */
export function createFlock(options: FlockOptions): Locks {
  const trying = { lockers: lockPrograms, ...options };
  const { clock } = options;
  const take = async (path: string): Promise<Lock | LockHeld> => {
    let answer = await tryOnce(path, trying);
    for (let round = 0; answer.kind === 'begun' && round * begunPause <= mostBegun; round++) {
      await clock.sleep(begunPause);
      answer = await tryOnce(path, trying);
    }
    for (const pause of pauses) {
      if (answer.kind === 'lock') return answer;
      await clock.sleep(pause);
      answer = await tryOnce(path, trying);
    }
    return answer.kind === 'begun' ? { kind: 'held' } : answer;
  };
  return {
    take,
    async takeNew(path) {
      // The user learns of a disk without locks before anything is sent.
      const begun = hasLocks(path) ? beginLock(path, trying, pauses) : undefined;
      return begun ?? take(path);
    },
  };
}

async function tryOnce(path: string, { clock, programs, lockers }: Required<FlockOptions>): Promise<Tried> {
  const file = openLock(path);
  let taken = false;
  /** What a process of ours says that is about to take it. It must not find the lock taken only because we look. */
  const isSaid = (): Tried | undefined => {
    const { by } = readSignature(file);
    const begins = by === undefined ? 'no' : isBeginning(by, clock.now());
    if (begins === 'no') return undefined;
    return begins === 'yes' ? lockHeldBy(file) : { kind: 'begun' };
  };
  try {
    const said = isSaid();
    if (said !== undefined) return said;
    if ((await lockOpenFile(file, lockers, programs)) === 'held') return lockHeldBy(file);
    const meanwhile = isSaid();
    if (meanwhile !== undefined) return meanwhile;
    // Another process may have removed the file between opening and locking. Then our lock guards a file that no
    // process finds.
    taken = nameOf(file, path) === 'our file';
    if (!taken) return { kind: 'held' };
  } finally {
    if (!taken) fs.closeSync(file);
  }
  prove(path);
  return ownedLock(file, path, clock.now());
}

function hasLocks(path: string): boolean {
  return fs.statSync(join(dirname(path), proof), { throwIfNoEntry: false }) !== undefined;
}

function prove(path: string): void {
  if (hasLocks(path)) return;
  try {
    fs.closeSync(fs.openSync(join(dirname(path), proof), 'wx', 0o600));
  } catch {
    // The next start takes its lock at once as well.
  }
}
