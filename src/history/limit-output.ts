import { type Budget, truncateMiddle } from '../fragments/truncate.ts';

/** Room for the few lines that a tool puts around an output it has cut itself: that must not be cut again. */
const allowance = 1.2;

/** Every tool output enters history through here (I6). */
export function limitOutput(output: string, budget: Budget): string {
  return truncateMiddle(output, { mode: budget.mode, limit: Math.ceil(budget.limit * allowance) });
}
