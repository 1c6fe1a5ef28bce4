import { type JsonObject, objectAt } from '../../protocol/json.ts';
import { mendUsage, type Usage } from '../../protocol/usage.ts';

/** No window holds as much: a larger count is a fault of the server. */
const mostTokens = 1_000_000_000;

/**
 * Token counts as a finished response reports them, or undefined when it reports none that mean something. Lenient about
 * parts that compatible servers leave out or get wrong: a finished answer is never lost over accounting. The total is
 * made of the parts: there are servers that leave it at zero.
 */
export function usageFromWire(wire: JsonObject | undefined): Usage | undefined {
  if (wire === undefined) return undefined;
  const details = { input: objectAt(wire, 'input_tokens_details'), output: objectAt(wire, 'output_tokens_details') };
  const reported = {
    input: wire['input_tokens'],
    cachedInput: details.input?.['cached_tokens'],
    cacheWriteInput: details.input?.['cache_write_tokens'],
    output: wire['output_tokens'],
    reasoningOutput: details.output?.['reasoning_tokens'],
    total: wire['total_tokens'],
  };
  const { input, output, total } = mendUsage(reported, mostTokens);
  // A request is never empty: if the input is left out, it is what the total holds beside the output. A count that makes
  // no sense says nothing, and neither does the total that was made with it.
  const known = isLeftOut(reported.input) ? total - output : input;
  const answered = reported.output === undefined || reported.output === null ? total - known : reported.output;
  // Half a count is none: it would look exact, and a limit would count the other half as nothing.
  if (known === 0 || !isCount(answered)) return undefined;
  const usage = mendUsage({ ...reported, input: known, output: answered }, mostTokens);
  return { ...usage, total: usage.input + usage.output };
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= mostTokens;
}

function isLeftOut(count: unknown): boolean {
  return typeof count === 'number' ? Math.round(count) === 0 : count === undefined || count === null;
}
