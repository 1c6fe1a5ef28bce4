import { largestUsefulCheckpointTokens } from '../../../core/compaction/plan/plan-compaction.ts';
import {
  canFreeSpace,
  compactionReasonAtSwitch,
  type GrowthSinceCheckpoint,
  hasGrownEnough,
  isLimitReached,
  minimumGrowth,
  nextRequestLimit,
} from '../../../core/compaction/plan/when-to-compact.ts';
import { fullAfterCheckpointOutcome, limitTooLowOutcome } from '../../../core/compaction/plan/window-problems.ts';
import type { RaisableLimit } from '../../../core/compaction/plan/window-problems.ts';
import { type Step, turnProvider } from '../../../core/envelope/envelope.ts';
import { windowSettingForLimit } from '../../../core/envelope/window.ts';
import { historyEntries, mergeFragments } from '../../../core/history/history.ts';
import { isOpaque } from '../../../core/history/sent-items.ts';
import { lastUsage, tokenUpperBound } from '../../../core/history/token-counts.ts';
import { historyTokens, requestTokens, tokensSince } from '../../../core/history/window-usage.ts';
import { isCompactionPaused, isTransientFailure } from '../../../core/state/checkpoints/checkpoint-counts.ts';
import { waitingItem } from '../../../core/state/fold/waiting-messages.ts';
import { historyAsRequestInput } from '../../../core/state/plan-request.ts';
import type { WorldUpdate } from '../../../core/world/tell-world.ts';
import { isSameProvider } from '../../../protocol/provider-name.ts';
import {
  activeTokensNow,
  contextTextTokens,
  contextTokensToSend,
  estimatedTokensNow,
  fixedRequestTokens,
  fullContextTokens,
  inboxTokens,
} from '../context/token-estimates.ts';
import { compactionContract, compactionWindow, contextWindowNow, instructionsNow } from '../context/turn-contract.ts';
import { warnOnceForAll } from '../log.ts';
import type { Turn } from '../thread-parts.ts';
import type { CompactionResult, UnreadableReason, WantedCompaction } from './compaction-result.ts';

/** Runs before a step is entered: all calls have their outputs, and nothing of the step was sent. */
export async function compactWhenFull(turn: Turn, step: Step, update: WorldUpdate): Promise<void> {
  const phase = step.index === 0 ? 'pre_turn' : 'mid_turn';
  const wish = turn.inbox.takeWishes();
  if (wish !== undefined) {
    const { settle, ...asked } = wish;
    const result = perform(turn, step, { trigger: 'manual', reason: 'user_requested', phase, ...asked });
    settle(result);
    return void (await result);
  }
  if (!mayCompact(turn)) return;
  const wanted = switched(turn, step) ?? full(turn, step, update);
  if (wanted !== undefined) await perform(turn, step, { trigger: 'auto', phase, ...wanted });
}

/** After a refusal, perhaps for length: compacts in the same turn, which then tries again. */
export const compactAfterRefusal = (turn: Turn, step: Step, reason: 'context_overflow' | 'unexplained_refusal') =>
  perform(turn, step, { trigger: 'auto', reason, phase: 'mid_turn' });

/** A reused history from behind an opaque checkpoint is compacted at once if it is too long for the model. */
export async function compactAfterReopening(turn: Turn, step: Step, reason: UnreadableReason): Promise<void> {
  const { log, envelope } = turn;
  const { instructions, modalities } = compactionContract(turn);
  const input = historyAsRequestInput(log.state.history, { modalities, provider: turnProvider(envelope) });
  const active = requestTokens({ instructions, tools: step.tools, input });
  const pending = fullContextTokens(step) + inboxTokens(turn);
  if (!isLimitReached({ active, pending, prefill: undefined, window: compactionWindow(turn) })) return;
  await perform(turn, step, { trigger: 'auto', reason, phase: 'pre_turn' });
}

async function perform(turn: Turn, step: Step, wanted: WantedCompaction): Promise<CompactionResult> {
  const { compactHistory } = await import('./compact.ts');
  const result = await compactHistory(turn, step, wanted);
  if (result.kind === 'failed' && isTransientFailure(result.outcome.code)) turn.memory.outage = 'seen';
  return result;
}

const mayCompact = ({ log, memory }: Turn): boolean =>
  !isCompactionPaused(log.state.checkpoints) && memory.outage === 'none';

/** True if the thread may compact although its limit was not reached. */
export const mayCompactBelowLimit = (turn: Turn): boolean => mayCompact(turn) && hasEnoughNewHistory(turn);
type Wanted = Pick<WantedCompaction, 'reason' | 'by'> | undefined;

function switched(turn: Turn, step: Step): Wanted {
  const { parts, log, envelope, before } = turn;
  if (step.index > 0 || before === undefined) return undefined;
  const then = compactionContract({ parts, log, envelope: before });
  // The new provider does not run the previous model, and is not sent items that only the previous provider can read.
  const isElsewhere = !isSameProvider(turnProvider(before), turnProvider(envelope));
  const { model, compatibility, window } = compactionContract(turn);
  const models = { before: { ...then, effective: then.window.effective }, now: { model, compatibility, window } };
  const reasonFor = (active: number) => {
    const reason = compactionReasonAtSwitch({ ...models, active });
    // An item that only its maker can read. An opaque checkpoint has already been replaced by now.
    const holdsOpaque = (): boolean => historyEntries(log.state.history).some(({ item }) => isOpaque(item));
    if (reason !== 'comp_hash_changed' || (holdsOpaque() && savesEnoughTokens(turn, step, 0))) return reason;
    // The new model can read all of history, or a checkpoint would save too little: then only its window is a reason.
    const { compatibility: _other, ...now } = models.now;
    return compactionReasonAtSwitch({ ...models, now, active });
  };
  const reason = reasonFor(activeTokensNow(turn, step).tokens);
  // With a provider that overcounts, every switch would seem to be one to a window that is too small.
  if (
    reason === 'model_downshift' &&
    !hasEnoughNewHistory(turn) &&
    reasonFor(estimatedTokensNow(turn, step)) === undefined
  )
    return undefined;
  if (isElsewhere) return reason === 'model_downshift' ? { reason } : undefined;
  return reason === undefined ? undefined : { reason, by: before };
}

function full(turn: Turn, step: Step, update: WorldUpdate): Wanted {
  if (isFarFromFull(turn, step, update)) return undefined;
  const isFull = shouldCompact(turn, step, contextTextTokens(update) + inboxTokens(turn));
  return isFull ? { reason: 'context_limit' } : undefined;
}

/** True if the ending turn leaves less space than the next one should find, and compaction can help. */
export const leavesTooLittleSpace = (turn: Turn, step: Step): boolean =>
  mayCompact(turn) && shouldCompact(turn, step, 0);

function shouldCompact(turn: Turn, step: Step, pending: number): boolean {
  const { prefill } = turn.log.state;
  const window = compactionWindow(turn);
  const isFull = isLimitReached({ active: activeTokensNow(turn, step).tokens, pending, prefill, window });
  return isFull && isWorthCompacting(turn, step);
}

/** Checks by text length alone whether a thread's first request fits: a closer look reads every character. */
function isFarFromFull(turn: Turn, step: Step, { told }: WorldUpdate): boolean {
  const { history, usage, prefill } = turn.log.state;
  if (history.length > 0 || lastUsage(usage.newest).total > 0) return false;
  const context = mergeFragments(told.map(({ fragment }) => fragment)).map(({ item }) => item(''));
  const active = tokenUpperBound([instructionsNow(turn).text, ...step.tools]);
  const pending = tokenUpperBound([...context, ...turn.inbox.waiting.map(waitingItem)]);
  return !isLimitReached({ active, pending, prefill, window: compactionWindow(turn) });
}

/** True if an automatic checkpoint would free space and something is new to compact. If not, warns once in a thread. */
function isWorthCompacting(turn: Turn, step: Step): boolean {
  return (
    freesSpace(turn, step) && savesEnoughTokens(turn, step, activeTokensNow(turn, step).tokens) && isNew(turn, step)
  );
}

/** False where nearly all tokens are context that is sent again. `counted`: the provider's count, or 0 for our own. */
function savesEnoughTokens(turn: Turn, step: Step, counted: number): boolean {
  const { log, envelope } = turn;
  const history = historyTokens(log.state.history, { reader: turnProvider(envelope) });
  const told = { due: contextTokensToSend(turn, step), context: fullContextTokens(step) };
  return (
    largestUsefulCheckpointTokens({ fixed: fixedRequestTokens(turn, step), history, counted, ...told }) >= leastUseful
  );
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

const hasEnoughNewHistory = (turn: Turn): boolean => hasGrownEnough(sinceCheckpoint(turn));

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
    windowFor: (limit) => windowSettingForLimit(limits, model, limit),
  };
}
