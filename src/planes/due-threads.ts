import type { MemoryRules } from '../config/memories.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { ThreadSummary } from '../protocol/thread-summary.ts';

/** What is known of an attempt to write notes about a thread. */
export interface TakenThread {
  /** When the thread had been used last by then. */
  readonly usedAt: number;
  readonly at: number;
  readonly isFailed: boolean;
}

/** How long a thread is left alone about which no notes could be written. */
const rest = 24 * 3_600_000;

/** Threads that notes should be written about, the newest first. Whether they may be is in their lines. */
export function dueThreads(
  threads: readonly ThreadSummary[],
  taken: ReadonlyMap<string, TakenThread>,
  { rules, now, except }: { readonly rules: MemoryRules; readonly now: number; readonly except: ThreadId },
): readonly ThreadSummary[] {
  return threads.filter(({ id, updatedAt, turns, archived }) => {
    if (id === except || archived || turns === 0) return false;
    const idle = now - updatedAt;
    if (idle < rules.minIdleMs || idle > rules.maxAgeMs) return false;
    const before = taken.get(id);
    if (before === undefined || before.usedAt < updatedAt) return true;
    return before.isFailed && now - before.at > rest;
  });
}
