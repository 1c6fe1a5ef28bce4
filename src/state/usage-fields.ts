import { isJsonObject, type Json, type JsonObject, numberAt } from '../protocol/json.ts';
import { noUsage, type Usage } from '../protocol/usage.ts';

/** Token counts as rollouts and event streams spell them. */
export function usageFields(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    cached_input_tokens: usage.cachedInput,
    cache_write_input_tokens: usage.cacheWriteInput,
    output_tokens: usage.output,
    reasoning_output_tokens: usage.reasoningOutput,
    total_tokens: usage.total,
  };
}

export function readUsage(fields: Json | undefined): Usage {
  if (!isJsonObject(fields)) return noUsage;
  const count = (key: string) => numberAt(fields, key) ?? 0;
  return {
    input: count('input_tokens'),
    cachedInput: count('cached_input_tokens'),
    cacheWriteInput: count('cache_write_input_tokens'),
    output: count('output_tokens'),
    reasoningOutput: count('reasoning_output_tokens'),
    total: count('total_tokens'),
  };
}
