import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { mendUsage, noUsage, type Usage } from '../protocol/usage.ts';

/** Token counts as rollouts and event streams spell them. */
export function usageFields(usage: Usage) {
  return {
    input_tokens: usage.input,
    cached_input_tokens: usage.cachedInput,
    cache_write_input_tokens: usage.cacheWriteInput,
    output_tokens: usage.output,
    reasoning_output_tokens: usage.reasoningOutput,
    total_tokens: usage.total,
  } satisfies JsonObject;
}

export function readUsage(fields: Json | undefined): Usage {
  if (!isJsonObject(fields)) return noUsage;
  return mendUsage({
    input: fields['input_tokens'],
    cachedInput: fields['cached_input_tokens'],
    cacheWriteInput: fields['cache_write_input_tokens'],
    output: fields['output_tokens'],
    reasoningOutput: fields['reasoning_output_tokens'],
    total: fields['total_tokens'],
  });
}
