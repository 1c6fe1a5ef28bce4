import type { CompactionWindow } from './plan.ts';

/** What has come of the newest checkpoint. In tokens. */
export interface SinceCheckpoint {
  readonly window: Pick<CompactionWindow, 'effective' | 'autoCompact' | 'autoCompactScope'>;
  /** The first count of a provider since then; undefined until there is one. */
  readonly prefill: number | undefined;
  /** What is new since the first request after it, by our estimate; undefined when no checkpoint stands. */
  readonly grown: number | undefined;
}

/** So much of the window, or of the limit, must be new since the newest checkpoint before there is another automatic one. */
const leastNewShare = 0.1;

/**
 * A provider may count more than we estimate, by any amount, for ever: then the thread is full again right after a
 * checkpoint. So there is at most one automatic checkpoint for each tenth of the window that is new, by our own count.
 */
export function leastNew({ window, prefill }: Pick<SinceCheckpoint, 'window' | 'prefill'>): number {
  const { effective, autoCompact, autoCompactScope } = window;
  // A provider whose first count was already over the limit is not believed again soon.
  const isFullAtOnce = autoCompactScope === 'total' && prefill !== undefined && prefill >= autoCompact;
  return Math.floor((isFullAtOnce ? effective : Math.min(effective, autoCompact)) * leastNewShare);
}

/** Whether another automatic checkpoint may follow. The first one waits for nothing. */
export function isEnoughNew(since: SinceCheckpoint): boolean {
  return since.grown === undefined || since.grown >= leastNew(since);
}

/** What every request holds, whatever is compacted. In tokens. */
export interface EveryRequest {
  /** Instructions and tools. */
  readonly fixed: number;
  /** The context about the world. */
  readonly context: number;
  /** What the provider counts beyond our estimate. */
  readonly overhead: number;
}

/** What a checkpoint weighs at least, with a little work after it. */
export const leastCheckpoint = 1000;

/** What the next request may weigh: where the limit is about the body alone, only the window binds. */
export function limitIn({ effective, autoCompact, autoCompactScope }: SinceCheckpoint['window']): number {
  return autoCompactScope === 'body' ? effective : autoCompact;
}

/** Whether a checkpoint can free space: where none can, the next step would compact again, and so on. */
export function leavesSpace({ fixed, context, overhead }: EveryRequest, limit: number): boolean {
  return fixed + context + overhead + leastCheckpoint < limit;
}
