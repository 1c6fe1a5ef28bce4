import { parseJsonObject } from '../../protocol/json.ts';

/** The patch itself, or the one in the arguments of a function call: no patch begins with a brace. */
export function readPatchInput(input: string): string | undefined {
  if (!input.trimStart().startsWith('{')) return input;
  const patch = parseJsonObject(input)?.['input'];
  return typeof patch === 'string' ? patch : undefined;
}
