import { setTimeout as wait } from 'node:timers/promises';

/** Resolves when the work is done, or its time is over. The process stays for it, and no longer. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController();
  const late = wait(ms, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([work, late]).finally(() => over.abort());
}
