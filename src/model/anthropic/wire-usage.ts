import type { JsonObject } from '../../protocol/json.ts';
import { mendUsage, type Usage } from '../../protocol/usage.ts';

/** No window holds as much: a larger count is a fault of the server. */
const mostTokens = 1_000_000_000;

/**
 * Token counts as an answer reports them, in two parts: at its beginning, and again, for the answer so far, at its end.
 * `input_tokens` leaves out what the cache gave and took, which our input has in it. Undefined when nothing is counted.
 */
export function messagesUsage(reported: readonly (JsonObject | undefined)[]): Usage | undefined {
  const count = (key: string): number => {
    const value = reported.map((part) => part?.[key]).findLast((each) => typeof each === 'number' && each >= 0);
    return typeof value === 'number' && value <= mostTokens ? value : 0;
  };
  const [cachedInput, cacheWriteInput] = [count('cache_read_input_tokens'), count('cache_creation_input_tokens')];
  const input = count('input_tokens') + cachedInput + cacheWriteInput;
  const output = count('output_tokens');
  // Half a count is none: a request is never empty.
  if (input === 0) return undefined;
  return mendUsage({ input, cachedInput, cacheWriteInput, output }, mostTokens);
}
