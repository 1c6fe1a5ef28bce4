import type { Step } from '../../envelope/step.ts';
import { type Budget, bytesPerToken } from '../../fragments/text/truncate.ts';
import { limitOutput } from '../../history/limit-output.ts';
import { itemTokens } from '../../history/size.ts';
import type { CallResult } from '../../tools/define.ts';
import { activeNow, estimateNow } from './active-now.ts';
import { compactionContract } from './contract-now.ts';
import type { Turn } from '../parts/parts.ts';

type Output = CallResult['output'];

/** In tokens: the model reads so much of an output, however many there are. */
const leastShare = 400;

/**
 * What one of the outputs that are still to come may weigh, in tokens, so that all of them fit the next request by our
 * estimate. Without it, many outputs at once would fill the window, and history would be compacted before the model
 * had read any of them.
 */
export function fairShare(turn: Turn, step: Step, outputs: number): number {
  const { window } = compactionContract(turn);
  const limit = window.autoCompactScope === 'body' ? window.effective : window.autoCompact;
  const { tokens } = activeNow(turn, step);
  // A provider that counts far too much must not leave every output a stub.
  const space = limit - (tokens < limit ? tokens : estimateNow(turn, step));
  return Math.max(leastShare, Math.floor((space * 0.9) / Math.max(1, outputs)));
}

/** The output within the budget of one output, and within so many tokens by our estimate. */
export function limitToShare(output: Output, budget: Budget, tokens: number): Output {
  let { limit } = budget;
  if (budgetTokens(budget) <= tokens / mostTokensPerEstimated) return limitOutput(output, budget);
  for (;;) {
    const limited = limitOutput(output, { ...budget, limit });
    const weight = itemTokens({ type: 'function_call_output', output: limited });
    if (weight <= tokens || limit < leastShare) return limited;
    limit = Math.floor(limit * Math.min(0.8, tokens / weight));
  }
}

/** Four bytes may be more than one token, as in tables of numbers. */
const mostTokensPerEstimated = 4;

function budgetTokens({ mode, limit }: Budget): number {
  return mode === 'tokens' ? limit : Math.ceil(limit / bytesPerToken);
}
