import type { ToolSpec } from '../ports/prompt.ts';
import type { Usage } from '../protocol/usage.ts';
import type { History } from './history.ts';
import { historyTokens, type WeighedFor, weightOf } from './history-weight.ts';
import { type Measure, requestTokens } from './ledger.ts';

/** `reader`: who gets the next request. */
export interface ActiveState extends WeighedFor {
  readonly history: History;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  /** Of the newest response, or what was put in its place when there was none to go by. */
  readonly last: Usage | undefined;
  /** The provider said that its counts include the reasoning of earlier turns. */
  readonly reasoningCounted: boolean;
}

/**
 * What the next request will weigh as things stand. The provider's newest count covers everything up to what the model
 * made last, less the reasoning that is not sent again. What came after it is estimated, and so is the encrypted
 * reasoning of earlier turns, which is sent again although providers leave it out of their counts.
 */
export function activeTokens(state: ActiveState): { readonly tokens: number; readonly measure: Measure } {
  const { last } = state;
  if (last === undefined || last.input === 0) {
    // A total alone is no provider's count: it says that the window overflowed, or it is an estimate from when history
    // was rewritten. The first must be believed, and the second has been outgrown since.
    return { tokens: Math.max(last?.total ?? 0, everything(state)), measure: 'estimated' };
  }
  // There are servers that count the parts and leave the total at zero.
  const counted = Math.max(last.total, last.input + last.output) - droppedReasoning(state, last);
  const weight = weightOf(state.history, state);
  const reasoning = state.reasoningCounted ? 0 : weight.earlierReasoning;
  if (weight.afterModel === undefined) {
    // Nothing made by the model is left, so it is unknown what of this the count covers.
    return { tokens: Math.max(counted + reasoning, everything(state)), measure: 'estimated' };
  }
  const uncounted = weight.afterModel + reasoning;
  return { tokens: counted + uncounted, measure: uncounted === 0 ? 'exact' : 'estimated' };
}

/** Reasoning tokens of the newest response that are not sent again: none where its reasoning stands in history. */
export function droppedReasoning({ history, reader }: Pick<ActiveState, 'history' | 'reader'>, usage: Usage): number {
  return weightOf(history, { reader }).thoughtKept ? 0 : Math.min(usage.reasoningOutput, usage.output);
}

function everything({ instructions, tools, history, reader }: ActiveState): number {
  return requestTokens({ instructions, tools, input: [] }) + historyTokens(history, { reader });
}
