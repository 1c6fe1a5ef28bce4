import { defined } from '../../base/objects.ts';
import { type JsonObject, numberAt, objectAt } from '../../protocol/json.ts';
import { addUsage, isSameCount, usageSince, usedTokens } from '../../protocol/usage.ts';
import type { UsageAllowance, Cost, LimitName, Usage } from '../../protocol/usage.ts';
import type { SpendingLimits, TurnLimits } from '../envelope/settings.ts';
import { lastUsage, type NewestTokenCount } from '../history/token-counts.ts';
import { currentProvider } from './current-provider.ts';
import { readUsage } from './drafts/usage-and-failure-fields.ts';
import { ownCost } from './fold/agents.ts';
import type { ThreadState } from './thread-state.ts';

export function foldNewestCount(
  state: ThreadState,
  event: JsonObject,
  info: JsonObject,
  total: Usage,
): NewestTokenCount {
  const { newest } = state.usage;
  const last = readUsage(info['last_token_usage']);
  const ours = objectAt(event, 'capstan');
  const isOfStep = numberAt(ours, 'step') !== undefined;
  if (!isOfStep && isRepeated(state, last, ours === undefined ? total : undefined)) return newest;
  const asked = state.sent?.kind === 'request' ? state.sent.record.provider : undefined;
  const covers = { upTo: state.history.length, by: asked ?? currentProvider(state) };
  if (last.input > 0) return { kind: 'counted', usage: last, ...covers };
  const tokens = last.total;
  // Every program records a refused request by a total that equals the size of the window.
  if (tokens > 0 && tokens === numberAt(info, 'model_context_window')) return { kind: 'full', tokens, ...covers };
  // For an uncounted answer the line has an estimate for other readers. The older count remains valid.
  return isOfStep && newest.kind === 'counted' ? newest : { kind: 'estimated', tokens, ...covers };
}

/** A line that only adds to the total repeats the newest count. Other programs sometimes repeat both. */
const isRepeated = ({ usage }: ThreadState, last: Usage, total: Usage | undefined): boolean =>
  isSameCount(last, lastUsage(usage.newest)) && (total === undefined || isSameCount(total, usage.total));

/** Remainder of each limit. `beside`: agents' spending that is in no line yet, and requests under way. */
export function spendingAllowances(state: ThreadState, limits: TurnLimits, beside: Usage): readonly UsageAllowance[] {
  const { total } = state.usage;
  const { tokens = 0, nanoUsd = 0, unpriced = 0 } = limits.continued ?? {};
  const before = { nanoUsd, unpriced };
  const turn = addUsage(usageSince(state.openTurn?.spent ?? total, total), beside);
  const thread = addUsage(ownCost(total, state.meta), beside);
  return [
    ...ofTokens('max_turn_tokens', limits.turnTokens, turn, tokens),
    ...ofTokens('max_thread_tokens', limits.threadTokens, thread, 0),
    ...ofCost('max_turn_cost', limits.turnCost, turn, before),
    ...ofCost('max_thread_cost', limits.threadCost, thread, { nanoUsd: 0, unpriced: 0 }),
  ];
}

function ofTokens(limit: LimitName, most: number | undefined, now: Usage, before: number): readonly UsageAllowance[] {
  const used = before + usedTokens(now) + (now.estimated ?? 0);
  return most === undefined ? [] : [{ limit, unit: 'tokens', most, used }];
}

function ofCost(limit: LimitName, mostUsd: number | undefined, now: Usage, before: Cost): readonly UsageAllowance[] {
  if (mostUsd === undefined) return [];
  const cost = now.cost ?? { nanoUsd: 0, unpriced: now.total + (now.estimated ?? 0) };
  const unpriced = before.unpriced + cost.unpriced;
  const priced = { unit: 'nanoUsd', most: Math.round(mostUsd * 1e9), used: before.nanoUsd + cost.nanoUsd } as const;
  return [{ limit, ...priced, ...(unpriced > 0 && { unpriced }) }];
}

export function storedSpendingLimits(envelope: JsonObject | undefined): SpendingLimits {
  const limits = objectAt(objectAt(envelope, 'policy'), 'limits');
  return defined({
    turnTokens: numberAt(limits, 'turnTokens'),
    threadTokens: numberAt(limits, 'threadTokens'),
    turnCost: numberAt(limits, 'turnCost'),
    threadCost: numberAt(limits, 'threadCost'),
  });
}
