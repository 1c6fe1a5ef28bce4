import type { Usage } from '@openai/codex-sdk';

/** The usage of so many answers of the scripted model, as the SDK counts it. */
export function usageOf(answers: number): Usage {
  return {
    input_tokens: 100 * answers,
    cached_input_tokens: 20 * answers,
    cache_write_input_tokens: 0,
    output_tokens: 10 * answers,
    reasoning_output_tokens: 3 * answers,
  };
}
