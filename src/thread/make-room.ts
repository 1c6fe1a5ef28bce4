import { limitReached, switchReason } from '../compaction/limit.ts';
import type { Step } from '../envelope/step.ts';
import { requestTokens } from '../history/ledger.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { isPaused, passes } from '../state/checkpoints.ts';
import type { Telling } from '../world/telling.ts';
import { activeNow } from './active-now.ts';
import { bundleTokens, tellingTokens } from './bundle-tokens.ts';
import type { CompactionResult, WantedCompaction } from './compaction-result.ts';
import { compactionContract, compactionWindow } from './compaction-contract.ts';
import type { Turn } from './parts.ts';
import { waitingTokens } from './waiting-tokens.ts';

/**
 * Before a step is entered: history is folded if somebody wishes it, or if what stands and what is about to enter would
 * not fit. The place is safe: all calls have their answers, and nothing of the step has been told.
 */
export async function makeRoom(turn: Turn, step: Step, telling: Telling): Promise<void> {
  const phase = step.index === 0 ? 'pre_turn' : 'mid_turn';
  const wish = turn.inbox.takeWishes();
  if (wish !== undefined) {
    const { focus } = wish;
    const wanted = {
      trigger: 'manual',
      reason: 'user_requested',
      phase,
      ...(focus === undefined ? {} : { focus }),
    } as const;
    const signal = AbortSignal.any([turn.signal, wish.signal]);
    const result = perform({ ...turn, signal }, step, wanted);
    wish.settle(result);
    await result;
    return;
  }
  if (!mayFold(turn)) return;
  const wanted = switched(turn, step) ?? full(turn, step, telling);
  if (wanted !== undefined) await perform(turn, step, { trigger: 'auto', phase, ...wanted });
}

/** The provider said that a request did not fit: the same turn folds history, and tries again. */
export function makeRoomAfterOverflow(turn: Turn, step: Step): Promise<CompactionResult> {
  return perform(turn, step, { trigger: 'auto', reason: 'context_overflow', phase: 'mid_turn' });
}

/** Loaded on use: most turns need none. */
async function perform(turn: Turn, step: Step, wanted: WantedCompaction): Promise<CompactionResult> {
  const { compact } = await import('./compact.ts');
  const result = await compact(turn, step, wanted);
  if (result.kind === 'failed' && passes(result.outcome.code)) turn.outage.seen = true;
  return result;
}

/** By itself. */
function mayFold({ log, outage }: Turn): boolean {
  return !isPaused(log.state.checkpoints) && !outage.seen;
}

type Wanted = Pick<WantedCompaction, 'reason' | 'by'> | undefined;

function switched({ log, envelope, before }: Turn, step: Step): Wanted {
  if (step.index > 0 || before === undefined) return undefined;
  const then = compactionContract(before);
  const reason = switchReason({
    before: { ...modelOf(then), effective: then.window.effective },
    now: { ...modelOf(compactionContract(envelope)), window: compactionWindow(envelope) },
    active: activeNow({ log, envelope }, step).tokens,
  });
  return reason === undefined ? undefined : { reason, by: before };
}

function modelOf({ model, compatibility }: ReturnType<typeof compactionContract>) {
  return compatibility === undefined ? { model } : { model, compatibility };
}

function full(turn: Turn, step: Step, telling: Telling): Wanted {
  if (!isFull(turn, step, tellingTokens(telling) + waitingTokens(turn))) return undefined;
  return canMakeRoom(turn, step) ? { reason: 'context_limit' } : undefined;
}

/** What a checkpoint weighs at least, with a little work after it. */
export const leastCheckpoint = 1000;

/**
 * Where instructions, tools and the world alone are too much, nothing that is folded makes room: the next step would
 * fold again, and so on.
 */
function canMakeRoom({ envelope, log, warned }: Turn, step: Step): boolean {
  const { instructions, window } = compactionContract(envelope);
  const fixed = requestTokens({ instructions, tools: step.tools, input: [] }) + bundleTokens(step);
  const limit = window.autoCompactScope === 'body' ? window.effective : window.autoCompact;
  const can = fixed + leastCheckpoint < limit;
  if (!can && !warned.has(limitTooLow)) {
    warned.add(limitTooLow);
    log.tell({ kind: 'warning', outcome: limitTooLowFor(fixed, limit) });
  }
  return can;
}

const limitTooLow = 'limit-too-low';

function limitTooLowFor(fixed: number, limit: number): Outcome {
  return {
    code: limitTooLow,
    message: `The thread is compacted beyond ${limit} tokens, and no checkpoint could get below that: instructions, tools and context alone weigh about ${fixed}.`,
    next: 'It goes on without checkpoints. Raise model_auto_compact_token_limit, or choose a model with a larger window.',
  };
}

/** Whether the turn that ends leaves less room than the next one should find, and something can be done about it. */
export function leavesTooLittle(turn: Turn, step: Step): boolean {
  return mayFold(turn) && isFull(turn, step, 0) && canMakeRoom(turn, step);
}

function isFull(turn: Turn, step: Step, pending: number): boolean {
  const { prefill } = turn.log.state;
  const window = compactionWindow(turn.envelope);
  return limitReached({ active: activeNow(turn, step).tokens, pending, prefill, window });
}
