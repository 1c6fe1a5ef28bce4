import { fullAfterCheckpointOutcome, limitTooLowOutcome } from '../../../core/compaction/plan/window-problems.ts';
import type { RaisableLimit } from '../../../core/compaction/plan/window-problems.ts';
import {
  hasGrownEnough,
  minimumGrowth,
  canFreeSpace,
  nextRequestLimit,
  type GrowthSinceCheckpoint,
} from '../../../core/compaction/plan/when-to-compact.ts';
import { largestUsefulCheckpoint } from '../../../core/compaction/plan/plan-compaction.ts';
import { type Step, turnProvider } from '../../../core/envelope/envelope.ts';
import { contextWindowFor } from '../../../core/envelope/window.ts';
import { historyTokens, tokensSince } from '../../../core/history/window-usage.ts';
import {
  activeTokensNow,
  fixedRequestTokens,
  estimatedTokensNow,
  fullContextTokens,
  contextTokensToSend,
} from '../context/token-estimates.ts';
import { compactionWindow, contextWindowNow } from '../context/turn-contract.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnceForAll } from '../log.ts';

/** True if an automatic checkpoint would free space and something is new to compact. If not, warns once in a thread. */
export function isWorthCompacting(turn: Turn, step: Step): boolean {
  return (
    freesSpace(turn, step) && savesEnoughTokens(turn, step, activeTokensNow(turn, step).tokens) && isNew(turn, step)
  );
}

/** False where nearly all tokens are context that is sent again. `counted`: the provider's count, or 0 for our own. */
export function savesEnoughTokens(turn: Turn, step: Step, counted: number): boolean {
  const { log, envelope } = turn;
  const history = historyTokens(log.state.history, { reader: turnProvider(envelope) });
  const told = { due: contextTokensToSend(turn, step), context: fullContextTokens(step) };
  return largestUsefulCheckpoint({ fixed: fixedRequestTokens(turn, step), history, counted, ...told }) >= leastUseful;
}

/** In tokens: no checkpoint of a conversation is smaller. */
const leastUseful = 500;

function freesSpace(turn: Turn, step: Step): boolean {
  const [fixed, context] = [fixedRequestTokens(turn, step), fullContextTokens(step)];
  const every = { fixed, context, overhead: overheadOf(turn, step) };
  const limit = nextRequestLimit(compactionWindow(turn));
  if (canFreeSpace(every, limit)) return true;
  warnOnceForAll(turn, limitTooLowOutcome(every, raisable(turn)), String(limit));
  return false;
}

function isNew(turn: Turn, step: Step): boolean {
  const since = sinceCheckpoint(turn);
  if (hasGrownEnough(since)) return true;
  const { prefill, grown = 0, window } = since;
  if (prefill !== undefined) {
    const isBody = window.autoCompactScope === 'body';
    const counted = activeTokensNow(turn, step).tokens - (isBody ? prefill : 0);
    const overhead = isBody ? 0 : Math.max(0, counted - estimatedTokensNow(turn, step));
    const full = { counted, grown, needed: minimumGrowth(since), overhead };
    const { autoCompact: now, mostAutoCompact: most } = contextWindowNow(turn);
    warnOnceForAll(turn, fullAfterCheckpointOutcome(full, { ...raisable(turn), now, most }), String(now));
  }
  return false;
}

export const hasEnoughNewHistory = (turn: Turn): boolean => hasGrownEnough(sinceCheckpoint(turn));

function sinceCheckpoint(turn: Turn): GrowthSinceCheckpoint {
  const { checkpoints, history, prefill } = turn.log.state;
  const { seen } = checkpoints;
  const reader = turnProvider(turn.envelope);
  const grown = typeof seen === 'number' ? tokensSince(history, seen, { reader }) : seen && 0;
  return { window: compactionWindow(turn), prefill, grown };
}

/** Tokens by which the provider's count of the first request after the newest checkpoint exceeded our estimate. */
function overheadOf(turn: Turn, step: Step): number {
  const { prefill, checkpoints, history } = turn.log.state;
  if (prefill === undefined || typeof checkpoints.seen !== 'number') return 0;
  const reader = { reader: turnProvider(turn.envelope) };
  const stood = historyTokens(history, reader) - tokensSince(history, checkpoints.seen, reader);
  return Math.max(0, prefill - fixedRequestTokens(turn, step) - stood);
}

function raisable(turn: Turn): RaisableLimit {
  const { model } = turn.envelope.identity;
  const { effective, configured, autoCompact, autoCompactScope, mostAutoCompact } = contextWindowNow(turn);
  const limits = { effective, configured, autoCompactScope, mostAutoCompact };
  return {
    now: nextRequestLimit({ effective, autoCompact, autoCompactScope }),
    most: nextRequestLimit({ effective, autoCompact: mostAutoCompact, autoCompactScope }),
    windowFor: (limit) => contextWindowFor(limits, model, limit),
  };
}
