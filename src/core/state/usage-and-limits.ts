import { defined } from '../../base/objects.ts';
import { type JsonObject, numberAt, objectAt } from '../../protocol/json.ts';
import {
  addUsage,
  type Allowance,
  isSameCount,
  type LimitName,
  type Usage,
  usageSince,
  usedTokens,
} from '../../protocol/usage.ts';
import type { SpendingLimits, TurnLimits } from '../envelope/settings.ts';
import { lastUsage, type NewestCount } from '../history/token-counts.ts';
import { currentProvider } from './current-provider.ts';
import { readUsage } from './drafts/usage-and-failure-fields.ts';
import { ownCost } from './fold/agents.ts';
import type { ThreadState } from './thread-state.ts';

/** The newest count after a `token_count` event with this `info`. */
export function foldNewestCount(state: ThreadState, event: JsonObject, info: JsonObject, total: Usage): NewestCount {
  const { newest } = state.usage;
  const last = readUsage(info['last_token_usage']);
  const ours = objectAt(event, 'capstan');
  const isOfStep = numberAt(ours, 'step') !== undefined;
  if (!isOfStep && isRepeated(state, last, ours === undefined ? total : undefined)) return newest;
  const covers = { upTo: state.history.length, ...defined({ by: askedNow(state) }) };
  if (last.input > 0) return { kind: 'counted', usage: last, ...covers };
  const tokens = last.total;
  // All programs record a refused request as a total of the size of the window.
  if (tokens > 0 && tokens === numberAt(info, 'model_context_window')) return { kind: 'full', tokens, ...covers };
  // Of an answer that was not counted, the line has an estimate for other readers. The older count still holds.
  return isOfStep && newest.kind === 'counted' ? newest : { kind: 'estimated', tokens, ...covers };
}

/** A line that adds to the total alone says the newest count again. Other programs repeat both at times. */
function isRepeated({ usage }: ThreadState, last: Usage, total: Usage | undefined): boolean {
  return isSameCount(last, lastUsage(usage.newest)) && (total === undefined || isSameCount(total, usage.total));
}

/** Who got the newest request. */
function askedNow(state: ThreadState) {
  const { sent } = state;
  return (sent?.kind === 'request' ? sent.record.provider : undefined) ?? currentProvider(state);
}

/**
 * What is left of each limit. Used is what the lines say, and `beside`: what agents have spent that no line of the
 * thread says yet, and what requests under way may cost.
 */
export function spendingAllowances(state: ThreadState, limits: TurnLimits, beside: Usage): readonly Allowance[] {
  const { total } = state.usage;
  const { tokens = 0, nanoUsd = 0, unpriced = 0 } = limits.continued ?? {};
  const turn = addUsage(usageSince(state.openTurn?.spent ?? total, total), beside);
  const thread = addUsage(ownCost(total, state.meta), beside);
  return [
    ...ofTokens('max_turn_tokens', limits.turnTokens, turn).map((each) => ({ ...each, used: each.used + tokens })),
    ...ofTokens('max_thread_tokens', limits.threadTokens, thread),
    ...ofCost('max_turn_cost', limits.turnCost, turn).map((each) => withMore(each, nanoUsd, unpriced)),
    ...ofCost('max_thread_cost', limits.threadCost, thread),
  ];
}

function ofTokens(limit: LimitName, most: number | undefined, used: Usage): readonly Allowance[] {
  return most === undefined ? [] : [{ limit, unit: 'tokens', most, used: usedTokens(used) + (used.estimated ?? 0) }];
}

function ofCost(limit: LimitName, mostUsd: number | undefined, used: Usage): readonly Allowance[] {
  if (mostUsd === undefined) return [];
  const { nanoUsd, unpriced } = used.cost ?? { nanoUsd: 0, unpriced: used.total + (used.estimated ?? 0) };
  const without = unpriced === 0 ? {} : { unpriced };
  return [{ limit, unit: 'nanoUsd', most: Math.round(mostUsd * 1e9), used: nanoUsd, ...without }];
}

function withMore(allowance: Allowance, nanoUsd: number, unpriced: number): Allowance {
  const without = (allowance.unpriced ?? 0) + unpriced;
  return { ...allowance, used: allowance.used + nanoUsd, ...(without > 0 && { unpriced: without }) };
}

/** The limits under which the newest turn of a thread runs, as its envelope was stored. */
export function storedSpendingLimits(envelope: JsonObject | undefined): SpendingLimits {
  const limits = objectAt(objectAt(envelope, 'policy'), 'limits');
  return defined({
    turnTokens: numberAt(limits, 'turnTokens'),
    threadTokens: numberAt(limits, 'threadTokens'),
    turnCost: numberAt(limits, 'turnCost'),
    threadCost: numberAt(limits, 'threadCost'),
  });
}
