import { limitReached, switchReason } from '../compaction/limit.ts';
import { providerOfTurn } from '../envelope/provider-of.ts';
import type { Step } from '../envelope/step.ts';
import { historyTokens, tokensSince } from '../history/history-weight.ts';
import { requestTokens } from '../history/ledger.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { isSameProvider } from '../protocol/provider-name.ts';
import { isPaused, passes } from '../state/checkpoints.ts';
import { inputOf } from '../state/request.ts';
import type { Telling } from '../world/tell.ts';
import { activeNow } from './active-now.ts';
import { bundleTokens, tellingTokens } from './bundle-tokens.ts';
import type { CompactionResult, WantedCompaction } from './compaction-result.ts';
import { compactionContract, compactionWindow } from './compaction-contract.ts';
import { isFarFromFull } from './far-from-full.ts';
import type { Turn } from './parts.ts';
import { waitingTokens } from './waiting-tokens.ts';
import { warnOnce } from './warn-once.ts';

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
    const result = perform(withSignal(turn, signal), step, wanted);
    wish.settle(result);
    await result;
    return;
  }
  if (!mayFold(turn)) return;
  const wanted = switched(turn, step) ?? full(turn, step, telling);
  if (wanted !== undefined) await perform(turn, step, { trigger: 'auto', phase, ...wanted });
}

/** The provider said that a request did not fit, or refused it without a word: the same turn compacts, and tries again. */
export function makeRoomAfterRefusal(
  turn: Turn,
  step: Step,
  reason: 'context_overflow' | 'unexplained_refusal',
): Promise<CompactionResult> {
  return perform(turn, step, { trigger: 'auto', reason, phase: 'mid_turn' });
}

/** The history behind an opaque checkpoint is used again: if it is too long for the model, it is compacted at once. */
export async function makeRoomAfterReopening(turn: Turn, step: Step): Promise<void> {
  const { log, envelope } = turn;
  const { instructions, modalities } = compactionContract(envelope);
  const input = inputOf(log.state.history, { modalities, provider: providerOfTurn(envelope) });
  const active = requestTokens({ instructions, tools: step.tools, input });
  const pending = bundleTokens(step) + waitingTokens(turn);
  if (!limitReached({ active, pending, prefill: undefined, window: compactionWindow(envelope) })) return;
  await perform(turn, step, { trigger: 'auto', reason: 'provider_changed', phase: 'pre_turn' });
}

/** Loaded on use: most turns need none. */
async function perform(turn: Turn, step: Step, wanted: WantedCompaction): Promise<CompactionResult> {
  const { compact } = await import('./compact.ts');
  const result = await compact(turn, step, wanted);
  if (result.kind === 'failed' && passes(result.outcome.code)) turn.outage.seen = true;
  return result;
}

/** The same turn under another signal, and no copy: what changes in one changes in the other. */
function withSignal(turn: Turn, signal: AbortSignal): Turn {
  return Object.create(turn, { signal: { value: signal } }) as Turn;
}

/** By itself. */
function mayFold({ log, outage }: Turn): boolean {
  return !isPaused(log.state.checkpoints) && !outage.seen;
}

/** Whether the thread may compact although its limit was not reached. */
export function mayCompactAgain(turn: Turn): boolean {
  return mayFold(turn) && growth(turn).isEnough;
}

type Wanted = Pick<WantedCompaction, 'reason' | 'by'> | undefined;

function switched({ log, envelope, before }: Turn, step: Step): Wanted {
  if (step.index > 0 || before === undefined) return undefined;
  const then = compactionContract(before);
  // Another provider does not run that model, and is sent nothing that only the one before can read.
  const isElsewhere = !isSameProvider(providerOfTurn(before), providerOfTurn(envelope));
  const reason = switchReason({
    before: { ...modelOf(then), effective: then.window.effective },
    now: { ...modelOf(compactionContract(envelope)), window: compactionWindow(envelope) },
    active: activeNow({ log, envelope }, step).tokens,
  });
  if (isElsewhere) return reason === 'model_downshift' ? { reason } : undefined;
  return reason === undefined ? undefined : { reason, by: before };
}

function modelOf({ model, compatibility }: ReturnType<typeof compactionContract>) {
  return compatibility === undefined ? { model } : { model, compatibility };
}

function full(turn: Turn, step: Step, telling: Telling): Wanted {
  if (isFarFromFull(turn, step, telling)) return undefined;
  return shouldCompact(turn, step, tellingTokens(telling) + waitingTokens(turn))
    ? { reason: 'context_limit' }
    : undefined;
}

/** Whether the turn that ends leaves less room than the next one should find, and something can be done about it. */
export function leavesTooLittle(turn: Turn, step: Step): boolean {
  return mayFold(turn) && shouldCompact(turn, step, 0);
}

/** The thread is full, a checkpoint can change that, and there is something new to compact. */
function shouldCompact(turn: Turn, step: Step, pending: number): boolean {
  const { prefill } = turn.log.state;
  const window = compactionWindow(turn.envelope);
  if (!limitReached({ active: activeNow(turn, step).tokens, pending, prefill, window })) return false;
  return canMakeRoom(turn, step) && hasGrown(turn, step);
}

/** What a checkpoint weighs at least, with a little work after it. */
export const leastCheckpoint = 1000;

/**
 * Where instructions, tools and the world alone are too much, no checkpoint makes room: the next step would compact
 * again, and so on. What the provider counts beyond our estimate counts with them.
 */
function canMakeRoom(turn: Turn, step: Step): boolean {
  const { window } = compactionContract(turn.envelope);
  const fixed = fixedTokens(turn, step) + bundleTokens(step) + overhead(turn, step);
  const limit = window.autoCompactScope === 'body' ? window.effective : window.autoCompact;
  const can = fixed + leastCheckpoint < limit;
  if (!can) warnOnce(turn, limitTooLow(fixed, limit), 'code');
  return can;
}

/** So much of the window, or of the limit, must be new since the newest checkpoint before there is another automatic one. */
const leastNewShare = 0.1;

/**
 * A provider may count more than we estimate, by any amount, for ever: then the thread is full again right after a
 * checkpoint. So there is at most one automatic checkpoint for each tenth of the window that is new, by our own count.
 */
function hasGrown(turn: Turn, step: Step): boolean {
  const { isEnough, needed } = growth(turn);
  const { prefill } = turn.log.state;
  if (isEnough) return true;
  if (prefill !== undefined)
    warnOnce(turn, fullAfterCheckpoint({ counted: prefill, needed, ...sizesOf(turn, step) }), 'code');
  return false;
}

function growth(turn: Turn): { readonly isEnough: boolean; readonly needed: number } {
  const { checkpoints, history, prefill } = turn.log.state;
  if (checkpoints.count === 0) return { isEnough: true, needed: 0 };
  const { effective, autoCompact, autoCompactScope } = compactionWindow(turn.envelope);
  // A provider whose first count was already over the limit is not believed again soon.
  const isFullAtOnce = autoCompactScope === 'total' && prefill !== undefined && prefill >= autoCompact;
  const needed = Math.floor((isFullAtOnce ? effective : Math.min(effective, autoCompact)) * leastNewShare);
  const grown = checkpoints.seen === undefined ? 0 : tokensSince(history, checkpoints.seen);
  return { isEnough: grown >= needed, needed };
}

/** Instructions and tools. */
function fixedTokens({ envelope }: Turn, step: Step): number {
  const { instructions } = compactionContract(envelope);
  return requestTokens({ instructions, tools: step.tools, input: [] });
}

/** By how much the provider's count of the first request after the newest checkpoint went beyond our estimate of it. */
function overhead(turn: Turn, step: Step): number {
  const { prefill, checkpoints, history } = turn.log.state;
  if (prefill === undefined || checkpoints.seen === undefined) return 0;
  const estimate = fixedTokens(turn, step) + historyTokens(history) - tokensSince(history, checkpoints.seen);
  return Math.max(0, prefill - estimate);
}

function sizesOf(turn: Turn, step: Step): { readonly overhead: number; readonly effective: number } {
  return { overhead: overhead(turn, step), effective: compactionWindow(turn.envelope).effective };
}

function limitTooLow(fixed: number, limit: number): Outcome {
  return {
    code: 'limit-too-low',
    message: `Capstan compacts the thread beyond ${limit} tokens, and no checkpoint could get below that: instructions, tools and context alone weigh about ${fixed}.`,
    next: 'The thread continues without checkpoints. Raise model_auto_compact_token_limit, or choose a model with a larger window.',
  };
}

interface CountedAfterCheckpoint {
  readonly counted: number;
  readonly needed: number;
  readonly overhead: number;
  readonly effective: number;
}

function fullAfterCheckpoint({ counted, needed, overhead, effective }: CountedAfterCheckpoint): Outcome {
  const beyond = overhead === 0 ? '' : `, ${overhead} more than Capstan estimates`;
  const window = Math.ceil((effective + overhead) / 1000) * 1000;
  return {
    code: 'full-after-checkpoint',
    message: `Right after a checkpoint the provider counts ${counted} tokens${beyond}, so another checkpoint now would not help. Capstan compacts again when ${needed} tokens are new.`,
    next: `If the model takes more than ${effective} tokens, say so in the configuration, for example with \`model_context_window = ${window}\`.`,
  };
}
