import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Json } from '../../src/protocol/json.ts';
import type { RecordedRequest } from '../../src/testing/index.ts';

/** Tokens of a request by a real tokeniser: the JSON of its instructions, its tools and its items or messages. */
export function countedTokens({ body }: Pick<RecordedRequest, 'body'>): number {
  const { instructions = '', tools = [], input = [], messages = [] } = body;
  const lists = [tools, input, messages] as readonly (readonly Json[])[];
  return [instructions, ...lists.flat()].reduce((sum: number, part) => sum + countedPart(JSON.stringify(part)), 0);
}

/** Most parts stand in request after request. */
const known = new Map<string, number>();

function countedPart(text: string): number {
  const found = known.get(text);
  if (found !== undefined) return found;
  const tokens = countTokens(text, { disallowedSpecial: new Set() });
  known.set(text, tokens);
  return tokens;
}
