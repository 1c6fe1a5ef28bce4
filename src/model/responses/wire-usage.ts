import type { JsonObject } from '../../protocol/json.ts';
import { numberAt, objectAt } from '../../protocol/json.ts';
import type { Usage } from '../../protocol/usage.ts';

/**
 * Token counts as a finished response reports them, or undefined when it reports none. Lenient about parts that
 * compatible servers leave out: a finished answer is never lost over accounting.
 */
export function usageFromWire(wire: JsonObject | undefined): Usage | undefined {
  if (wire === undefined) return undefined;
  const input = numberAt(wire, 'input_tokens');
  const output = numberAt(wire, 'output_tokens');
  if (input === undefined && output === undefined) return undefined;
  const inputDetails = objectAt(wire, 'input_tokens_details') ?? {};
  const outputDetails = objectAt(wire, 'output_tokens_details') ?? {};
  return {
    input: input ?? 0,
    cachedInput: numberAt(inputDetails, 'cached_tokens') ?? 0,
    cacheWriteInput: numberAt(inputDetails, 'cache_write_tokens') ?? 0,
    output: output ?? 0,
    reasoningOutput: numberAt(outputDetails, 'reasoning_tokens') ?? 0,
    total: numberAt(wire, 'total_tokens') ?? (input ?? 0) + (output ?? 0),
  };
}
