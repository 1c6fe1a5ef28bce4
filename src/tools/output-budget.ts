import type { Budget } from '../fragments/text/truncate.ts';
import type { JsonObject } from '../protocol/json.ts';

/** What the model asked for never raises what the window allows. */
export function outputBudget(budget: Budget, tokens: number): Budget {
  return { mode: budget.mode, limit: Math.min(budget.limit, budget.mode === 'bytes' ? tokens * 4 : tokens) };
}

/** A number of the arguments; undefined when it is none, or not positive. */
export function positiveNumber(value: JsonObject, key: string, fallback: number): number | undefined {
  const given = value[key];
  if (given === undefined || given === null) return fallback;
  return typeof given === 'number' && given > 0 ? given : undefined;
}
