import type { CompactionWindow } from './plan.ts';

/** What counts when it is decided whether a thread is full. In tokens. */
export interface Fill {
  /** What the next request weighs as things stand. */
  readonly active: number;
  /** What is about to enter it: words of the user, context that will be sent. */
  readonly pending: number;
  /** What the first request since the newest checkpoint weighed; undefined until that is known. */
  readonly prefill: number | undefined;
  readonly window: CompactionWindow;
}

/** The thread must be compacted before the next request. The window itself counts whatever the scope is. */
export function limitReached(fill: Fill): boolean {
  return counted(fill) >= fill.window.autoCompact || fill.active + fill.pending >= fill.window.effective;
}

/** As long as it is unknown where the body begins, nothing counts as grown. */
function counted({ active, pending, prefill, window }: Fill): number {
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
