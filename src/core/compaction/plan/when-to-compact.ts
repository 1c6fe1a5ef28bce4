import type { CompactionWindow } from './compaction-plan.ts';

/** What counts when it is decided whether a thread is full. In tokens. */
export interface WindowFill {
  /** What the next request weighs as things stand. */
  readonly active: number;
  /** What is about to enter it: words of the user, context that will be sent. */
  readonly pending: number;
  /** What the first request since the newest checkpoint weighed; undefined until that is known. */
  readonly prefill: number | undefined;
  readonly window: CompactionWindow;
}

/** The thread must be compacted before the next request. The window itself counts whatever the scope is. */
export function limitReached(fill: WindowFill): boolean {
  return counted(fill) >= fill.window.autoCompact || fill.active + fill.pending >= fill.window.effective;
}

/** As long as it is unknown where the body begins, nothing counts as grown. */
function counted({ active, pending, prefill, window }: WindowFill): number {
  if (window.autoCompactScope === 'total') return active + pending;
  return prefill === undefined ? 0 : Math.max(0, active + pending - prefill);
}

interface SwitchedModel {
  readonly model: string;
  readonly compatibility?: string;
}

/**
 * Why history must be compacted by the model before, while that can still read it. Two models that say nothing about
 * their compatibility are taken to be compatible. A budget of the body that a switch goes over is left to the new
 * model: it can read what stands.
 */
export function switchReason({
  before,
  now,
  active,
}: {
  /** The model that the newest turn ran with. */
  readonly before: (SwitchedModel & { readonly effective: number }) | undefined;
  readonly now: SwitchedModel & { readonly window: CompactionWindow };
  readonly active: number;
}): 'comp_hash_changed' | 'model_downshift' | undefined {
  if (before === undefined) return undefined;
  const bothSay = before.compatibility !== undefined && now.compatibility !== undefined;
  if (bothSay && before.compatibility !== now.compatibility) return 'comp_hash_changed';
  const { effective, autoCompact, autoCompactScope } = now.window;
  if (before.model === now.model || before.effective <= effective) return undefined;
  const tooMuch = active >= effective || (autoCompactScope === 'total' && active > autoCompact);
  return tooMuch ? 'model_downshift' : undefined;
}

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
export function minimumGrowth({ window, prefill }: Pick<SinceCheckpoint, 'window' | 'prefill'>): number {
  const { effective, autoCompact, autoCompactScope } = window;
  // A provider whose first count was already over the limit is not believed again soon.
  const isFullAtOnce = autoCompactScope === 'total' && prefill !== undefined && prefill >= autoCompact;
  return Math.floor((isFullAtOnce ? effective : Math.min(effective, autoCompact)) * leastNewShare);
}

/** Whether another automatic checkpoint may follow. The first one waits for nothing. */
export function hasGrownEnough(since: SinceCheckpoint): boolean {
  return since.grown === undefined || since.grown >= minimumGrowth(since);
}

/** What every request holds, whatever is compacted. In tokens. */
export interface FixedRequestWeight {
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
export function nextRequestLimit({ effective, autoCompact, autoCompactScope }: SinceCheckpoint['window']): number {
  return autoCompactScope === 'body' ? effective : autoCompact;
}

/** Whether a checkpoint can free space: where none can, the next step would compact again, and so on. */
export function canFreeSpace({ fixed, context, overhead }: FixedRequestWeight, limit: number): boolean {
  return fixed + context + overhead + leastCheckpoint < limit;
}
