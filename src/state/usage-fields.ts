import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { mendUsage, noUsage, type Usage } from '../protocol/usage.ts';

/** Token counts as rollouts and event streams spell them. What Codex has no name for is absent where there is none. */
export function usageFields(usage: Usage) {
  const { estimated, cost } = usage;
  return {
    input_tokens: usage.input,
    cached_input_tokens: usage.cachedInput,
    cache_write_input_tokens: usage.cacheWriteInput,
    output_tokens: usage.output,
    reasoning_output_tokens: usage.reasoningOutput,
    total_tokens: usage.total,
    ...(estimated !== undefined && { estimated_tokens: estimated }),
    ...(cost && { cost_nano_usd: cost.nanoUsd, unpriced_tokens: cost.unpriced }),
  } satisfies JsonObject;
}

export function readUsage(fields: Json | undefined): Usage {
  if (!isJsonObject(fields)) return noUsage;
  const nanoUsd = fields['cost_nano_usd'];
  return mendUsage({
    input: fields['input_tokens'],
    cachedInput: fields['cached_input_tokens'],
    cacheWriteInput: fields['cache_write_input_tokens'],
    output: fields['output_tokens'],
    reasoningOutput: fields['reasoning_output_tokens'],
    total: fields['total_tokens'],
    estimated: fields['estimated_tokens'],
    ...(nanoUsd !== undefined && { cost: { nanoUsd, unpriced: fields['unpriced_tokens'] } }),
  });
}
