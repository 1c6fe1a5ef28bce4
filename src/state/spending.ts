import type { SpendingLimits, TurnLimits } from '../envelope/settings.ts';
import { type JsonObject, numberAt, objectAt } from '../protocol/json.ts';
import { defined } from '../protocol/defined.ts';
import type { Allowance, LimitName } from '../protocol/spending.ts';
import { addUsage, type Usage, usageSince, usedTokens } from '../protocol/usage.ts';
import { ownCost } from './agents.ts';
import type { ThreadState } from './thread-state.ts';

/**
 * What is left of each limit. Used is what the lines say, and `beside`: what agents have spent that no line of the
 * thread says yet, and what requests under way may cost.
 */
export function allowances(state: ThreadState, limits: TurnLimits, beside: Usage): readonly Allowance[] {
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
export function storedLimits(envelope: JsonObject | undefined): SpendingLimits {
  const limits = objectAt(objectAt(envelope, 'policy'), 'limits');
  return defined({
    turnTokens: numberAt(limits, 'turnTokens'),
    threadTokens: numberAt(limits, 'threadTokens'),
    turnCost: numberAt(limits, 'turnCost'),
    threadCost: numberAt(limits, 'threadCost'),
  });
}
