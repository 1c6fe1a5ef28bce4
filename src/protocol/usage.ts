/** Token counts of one model response, or a sum of such counts. `input` includes cached, `output` includes reasoning. */
export interface Usage {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWriteInput: number;
  readonly output: number;
  readonly reasoningOutput: number;
  readonly total: number;
}

export const noUsage: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWriteInput: 0,
  output: 0,
  reasoningOutput: 0,
  total: 0,
};

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
