import { fullAfterCheckpoint, limitTooLow, type RaisableLimit } from '../../compaction/plan/limit-advice.ts';
import { isEnoughNew, leastNew, leavesSpace, limitIn, type SinceCheckpoint } from '../../compaction/plan/loop-guard.ts';
import { mostGained } from '../../compaction/plan/plan-compaction.ts';
import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { Step } from '../../envelope/step.ts';
import { contextWindowFor } from '../../envelope/window.ts';
import { historyTokens, tokensSince } from '../../history/history-weight.ts';
import { activeNow, fixedTokens, estimateNow, bundleTokens, dueTokens } from '../contract/active-now.ts';
import { compactionWindow, windowNow } from '../contract/contract-now.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnceForAll } from '../parts/warn-once.ts';

/**
 * Whether an automatic checkpoint now frees space, and something is new to compact. Warns once in a thread when not.
 */
export function isWorthIt(turn: Turn, step: Step): boolean {
  return freesSpace(turn, step) && savesEnough(turn, step, activeNow(turn, step).tokens) && isNew(turn, step);
}

/**
 * Where nearly all is context that is sent again, or waits to enter, a model would be asked for nothing. `counted`: what
 * the provider says that the next request weighs, 0 where only our own estimate is to count.
 */
export function savesEnough(turn: Turn, step: Step, counted: number): boolean {
  const { log, envelope } = turn;
  const history = historyTokens(log.state.history, { reader: providerOfTurn(envelope) });
  const told = { due: dueTokens(turn, step), context: bundleTokens(step) };
  return mostGained({ fixed: fixedTokens(turn, step), history, counted, ...told }) >= leastUseful;
}

/** In tokens: no checkpoint of a conversation weighs less. */
const leastUseful = 500;

function freesSpace(turn: Turn, step: Step): boolean {
  const [fixed, context] = [fixedTokens(turn, step), bundleTokens(step)];
  const every = { fixed, context, overhead: overheadOf(turn, step) };
  const limit = limitIn(compactionWindow(turn));
  if (leavesSpace(every, limit)) return true;
  warnOnceForAll(turn, limitTooLow(every, raisable(turn)), String(limit));
  return false;
}

function isNew(turn: Turn, step: Step): boolean {
  const since = sinceCheckpoint(turn);
  if (isEnoughNew(since)) return true;
  const { prefill, grown = 0, window } = since;
  if (prefill !== undefined) {
    const isBody = window.autoCompactScope === 'body';
    const counted = activeNow(turn, step).tokens - (isBody ? prefill : 0);
    const overhead = isBody ? 0 : Math.max(0, counted - estimateNow(turn, step));
    const full = { counted, grown, needed: leastNew(since), overhead };
    const { autoCompact: now, mostAutoCompact: most } = windowNow(turn);
    warnOnceForAll(turn, fullAfterCheckpoint(full, { ...raisable(turn), now, most }), String(now));
  }
  return false;
}

/** Whether enough is new since the newest checkpoint for another automatic one. */
export function hasNews(turn: Turn): boolean {
  return isEnoughNew(sinceCheckpoint(turn));
}

function sinceCheckpoint(turn: Turn): SinceCheckpoint {
  const { checkpoints, history, prefill } = turn.log.state;
  const { seen } = checkpoints;
  const reader = providerOfTurn(turn.envelope);
  const grown = typeof seen === 'number' ? tokensSince(history, seen, { reader }) : seen && 0;
  return { window: compactionWindow(turn), prefill, grown };
}

/** By how much the provider's count of the first request after the newest checkpoint went beyond our estimate of it. */
function overheadOf(turn: Turn, step: Step): number {
  const { prefill, checkpoints, history } = turn.log.state;
  if (prefill === undefined || typeof checkpoints.seen !== 'number') return 0;
  const reader = { reader: providerOfTurn(turn.envelope) };
  const stood = historyTokens(history, reader) - tokensSince(history, checkpoints.seen, reader);
  return Math.max(0, prefill - fixedTokens(turn, step) - stood);
}

function raisable(turn: Turn): RaisableLimit {
  const { model } = turn.envelope.identity;
  const { effective, configured, autoCompact, autoCompactScope, mostAutoCompact } = windowNow(turn);
  const limits = { effective, configured, autoCompactScope, mostAutoCompact };
  return {
    now: limitIn({ effective, autoCompact, autoCompactScope }),
    most: limitIn({ effective, autoCompact: mostAutoCompact, autoCompactScope }),
    windowFor: (limit) => contextWindowFor(limits, model, limit),
  };
}
