import type { ToolSpec } from '../ports/prompt.ts';
import type { Usage } from '../protocol/usage.ts';
import { isBoundary } from './entry.ts';
import type { History } from './history.ts';
import { historyTokens, tokensSince, type WeighedFor, weightOf } from './history-weight.ts';
import { type Measure, requestTokens } from './ledger.ts';
import type { NewestCount, ProviderCount } from './newest-count.ts';

/** `reader`: who gets the next request. */
export interface ActiveState extends WeighedFor {
  readonly history: History;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly newest: NewestCount;
  /** The provider said that its counts include the reasoning of earlier turns. */
  readonly reasoningCounted: boolean;
}

/**
 * What the next request will weigh as things stand. The provider's newest count covers everything up to what the model
 * made last before it, less the reasoning that is not sent again. What came after is estimated, and so is the encrypted
 * reasoning of earlier turns, which is sent again although providers leave it out of their counts.
 */
export function activeTokens(state: ActiveState): { readonly tokens: number; readonly measure: Measure } {
  const { newest } = state;
  switch (newest.kind) {
    case 'counted':
      return activeAfterCount(state, newest);
    case 'estimated': {
      const tokens = newest.tokens + tokensSince(state.history, newest.upTo, state);
      return { tokens: Math.max(tokens, everything(state)), measure: 'estimated' };
    }
    case 'full':
      return { tokens: Math.max(newest.tokens, everything(state)), measure: 'estimated' };
  }
}

function activeAfterCount(state: ActiveState, { usage, upTo }: ProviderCount): ReturnType<typeof activeTokens> {
  const { history, reader } = state;
  // Later answers that no provider counted are estimated like all else that came after the count.
  const isNewest = weightOf(history, state).upToModel <= upTo;
  const covered = isNewest ? history : { ...history, length: Math.min(upTo, history.length) };
  // There are servers that count the parts and leave the total at zero.
  const counted =
    Math.max(usage.total, usage.input + usage.output) - droppedReasoning({ history: covered, reader }, usage);
  const weight = weightOf(covered, state);
  const isEarlier = !isNewest && hasBoundarySince(history, covered.length);
  const earlier = weight.earlierReasoning + (isEarlier ? weight.newReasoning : 0);
  const reasoning = state.reasoningCounted ? 0 : earlier;
  if (weight.afterModel === undefined) {
    // Nothing made by the model is left, so it is unknown what of this the count covers.
    return { tokens: Math.max(counted + reasoning, everything(state)), measure: 'estimated' };
  }
  const since = isNewest ? 0 : tokensSince(history, covered.length, state);
  const uncounted = weight.afterModel + since + reasoning;
  return { tokens: counted + uncounted, measure: uncounted === 0 ? 'exact' : 'estimated' };
}

function hasBoundarySince({ storage, length }: History, before: number): boolean {
  for (let index = before; index < length; index++) if (isBoundary(storage[index]!)) return true;
  return false;
}

/** Reasoning tokens of the newest response that are not sent again: none where its reasoning stands in history. */
export function droppedReasoning({ history, reader }: Pick<ActiveState, 'history' | 'reader'>, usage: Usage): number {
  return weightOf(history, { reader }).thoughtKept ? 0 : Math.min(usage.reasoningOutput, usage.output);
}

function everything({ instructions, tools, history, reader }: ActiveState): number {
  return requestTokens({ instructions, tools, input: [] }) + historyTokens(history, { reader });
}
