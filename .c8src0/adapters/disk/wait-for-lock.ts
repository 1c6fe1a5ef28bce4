import type { Lock, LockHeld, Locks } from '../../ports/files.ts';
import type { Clock } from '../../ports/system.ts';
import { diskErrorReason } from './file-system.ts';

export type LockWaiting = { readonly locks: Pick<Locks, 'take'>; readonly clock: Clock };
/** The holder may be waiting for a server, as for a new token. */
const patienceMs = 45_000;
const lookAgainMs = 100;
type LockWanted = LockWaiting & { readonly held: string; readonly signal?: AbortSignal | undefined };

/** Works under a lock once no other process has it. Rejects with the reason as a part of a sentence. */
export async function workUnderLock<Result>(
  path: string,
  wanted: LockWanted,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const lock = await waitForLock(path, wanted);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Does the work under a lock if no other process has it, and returns undefined. Otherwise returns who has it. */
export async function inFreeLock(
  locks: Pick<Locks, 'take'>,
  path: string,
  work: () => Promise<void>,
): Promise<LockHeld | undefined> {
  const lock = await locks.take(path);
  if (lock.kind === 'held') return lock;
  await work().finally(() => lock.release());
  return undefined;
}

async function waitForLock(path: string, { locks, clock, held, signal }: LockWanted): Promise<Lock> {
  for (const end = clock.now() + patienceMs; ;) {
    const lock = await locks.take(path).catch((error: unknown) => {
      throw new Error(`${path} cannot be written: ${diskErrorReason(error)}`, { cause: error });
    });
    if (lock.kind === 'lock') return lock;
    if (signal?.aborted === true) throw new Error('it was stopped');
    if (clock.now() > end) throw new Error(`${held} and takes too long`);
    await clock.sleep(lookAgainMs, signal);
  }
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the process: only for the moments that another process needs to finish. */
export function blockProcess(milliseconds: number): void {
  Atomics.wait(never, 0, 0, milliseconds);
}
