import type { Clock } from '../ports/clock.ts';
import type { Lock, Locks } from '../ports/files.ts';
import { reasonOf } from './file-system.ts';

export interface LockWaiting {
  readonly locks: Pick<Locks, 'take'>;
  readonly clock: Clock;
}

/** Longer than a renewal of a login takes. */
const patienceMs = 45_000;
const lookAgainMs = 100;

/**
 * Takes the lock of a stored login as soon as no other process has it. The system frees the lock of a process that
 * crashed. Rejects with a part of a sentence that says why not.
 */
export async function waitForLock(path: string, { locks, clock }: LockWaiting, signal?: AbortSignal): Promise<Lock> {
  for (const end = clock.now() + patienceMs; ;) {
    const lock = await locks.take(path).catch((error: unknown) => {
      throw new Error(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
    });
    if (lock.kind === 'lock') return lock;
    if (signal?.aborted === true) throw new Error('it was stopped');
    if (clock.now() > end) throw new Error('another process is renewing it and takes too long');
    await clock.sleep(lookAgainMs, signal);
  }
}
