import type { CompactionWindow } from './compaction-plan.ts';

/** In tokens. */
export interface WindowFill {
  readonly active: number;
  /** Content about to enter: words of the user, context that will be sent. */
  readonly pending: number;
  readonly prefill: number | undefined;
  readonly window: CompactionWindow;
}

/** A full window counts as reached even if the limit is for the body alone. */
export const isLimitReached = (fill: WindowFill): boolean =>
  counted(fill) >= fill.window.autoCompact || fill.active + fill.pending >= fill.window.effective;

/** While the start of the body is unknown, nothing counts as growth. */
function counted({ active, pending, prefill, window }: WindowFill): number {
  if (window.autoCompactScope === 'total') return active + pending;
  return prefill === undefined ? 0 : Math.max(0, active + pending - prefill);
}

type SwitchedModel = { readonly model: string; readonly compatibility?: string };

/**
 * The reason why the previous model must compact history while it can still read it. Models without compatibility data
 * count as compatible. If only the body budget is exceeded, the new model does it: it can read the history.
 */
export function compactionReasonAtSwitch({
  before,
  now,
  active,
}: {
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

export interface GrowthSinceCheckpoint {
  readonly window: Pick<CompactionWindow, 'effective' | 'autoCompact' | 'autoCompactScope'>;
  readonly prefill: number | undefined;
  /** Growth since the first request after it, by our estimate; undefined without a checkpoint. */
  readonly grown: number | undefined;
}

/** Share of the window or limit that must be new before another automatic checkpoint. */
const leastNewShare = 0.1;

/** A provider may always count more than we do: at most one automatic checkpoint per tenth of new window. */
export function minimumGrowth({ window, prefill }: Pick<GrowthSinceCheckpoint, 'window' | 'prefill'>): number {
  const { effective, autoCompact, autoCompactScope } = window;
  // If the first request after a checkpoint was already over the limit, wait longer: for a share of the whole window.
  const isFullAtOnce = autoCompactScope === 'total' && prefill !== undefined && prefill >= autoCompact;
  return Math.floor((isFullAtOnce ? effective : Math.min(effective, autoCompact)) * leastNewShare);
}

/** The first checkpoint waits for nothing. */
export const hasGrownEnough = (since: GrowthSinceCheckpoint): boolean =>
  since.grown === undefined || since.grown >= minimumGrowth(since);

export interface FixedRequestWeight {
  readonly fixed: number;
  readonly context: number;
  /** Excess of the provider's count over our estimate. */
  readonly overhead: number;
}

export const leastCheckpointTokens = 1000;

/** Limit for the next request: if the limit is for the body alone, only the window binds. */
export const nextRequestLimit = (window: GrowthSinceCheckpoint['window']): number =>
  window.autoCompactScope === 'body' ? window.effective : window.autoCompact;

/** If no checkpoint can free space, compacting would repeat at every step. */
export const canFreeSpace = ({ fixed, context, overhead }: FixedRequestWeight, limit: number): boolean =>
  fixed + context + overhead + leastCheckpointTokens < limit;
