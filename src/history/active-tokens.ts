import type { ToolSpec } from '../ports/prompt.ts';
import { stringAt } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import { type Entry, isBoundary, isModelMade } from './entry.ts';
import { type Measure, requestTokens } from './ledger.ts';
import { itemTokens } from './size.ts';

export interface ActiveState {
  readonly entries: readonly Entry[];
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  /** Of the newest response, or what was put in its place when there was none to go by. */
  readonly last: Usage | undefined;
  /** The provider said that its counts include the reasoning of earlier turns. */
  readonly reasoningCounted: boolean;
}

/**
 * What the next request will weigh as things stand. The provider's newest count covers everything up to what the model
 * made last; what came after it is estimated, and so is the encrypted reasoning of earlier turns, which is sent again
 * although providers leave it out of their counts.
 */
export function activeTokens(state: ActiveState): { readonly tokens: number; readonly measure: Measure } {
  const { entries, instructions, tools, last } = state;
  if (last === undefined || last.input === 0) {
    // A total alone is no provider's count: it says that the window overflowed, or it is an estimate from when history
    // was rewritten. The first must be believed, and the second has been outgrown since.
    const everything = requestTokens({ instructions, tools, input: entries.map(({ item }) => item) });
    return { tokens: Math.max(last?.total ?? 0, everything), measure: 'estimated' };
  }
  const uncounted = tokensAfterModel(entries) + (state.reasoningCounted ? 0 : earlierReasoning(entries));
  return { tokens: last.total + uncounted, measure: uncounted === 0 ? 'exact' : 'estimated' };
}

/** Without anything made by the model there is no place after which to count. */
function tokensAfterModel(entries: readonly Entry[]): number {
  const made = entries.findLastIndex(isModelMade);
  return made === -1 ? 0 : tokensOf(entries.slice(made + 1));
}

function earlierReasoning(entries: readonly Entry[]): number {
  const boundary = entries.findLastIndex(isBoundary);
  return tokensOf(entries.slice(0, Math.max(0, boundary)).filter(isEncryptedReasoning));
}

function isEncryptedReasoning({ item }: Entry): boolean {
  return item.type === 'reasoning' && stringAt(item, 'encrypted_content') !== undefined;
}

function tokensOf(entries: readonly Entry[]): number {
  return entries.reduce((total, { item }) => total + itemTokens(item), 0);
}
