/** Token counts of one model response, or a sum of such counts. `input` includes cached, `output` includes reasoning. */
export interface Usage {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWriteInput: number;
  readonly output: number;
  readonly reasoningOutput: number;
  readonly total: number;
}

export const noUsage: Usage = { input: 0, cachedInput: 0, cacheWriteInput: 0, output: 0, reasoningOutput: 0, total: 0 };

/** Counts as a provider or a file has them: anything may be missing, or make no sense. */
export type ReportedUsage = { readonly [Name in keyof Usage]?: unknown };

/**
 * Counts that fit together. What is no count (negative, no number, beyond `most`) counts as nothing; cached input is
 * part of the input and reasoning part of the output; a total is at least the sum of its parts.
 */
export function mendUsage(reported: ReportedUsage, most = Number.MAX_SAFE_INTEGER): Usage {
  const count = (value: unknown): number =>
    typeof value === 'number' && value > 0 && value <= most ? Math.round(value) : 0;
  const [input, output] = [count(reported.input), count(reported.output)];
  return {
    input,
    cachedInput: Math.min(input, count(reported.cachedInput)),
    cacheWriteInput: Math.min(input, count(reported.cacheWriteInput)),
    output,
    reasoningOutput: Math.min(output, count(reported.reasoningOutput)),
    total: Math.max(input + output, count(reported.total)),
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cachedInput: a.cachedInput + b.cachedInput,
    cacheWriteInput: a.cacheWriteInput + b.cacheWriteInput,
    output: a.output + b.output,
    reasoningOutput: a.reasoningOutput + b.reasoningOutput,
    total: a.total + b.total,
  };
}
