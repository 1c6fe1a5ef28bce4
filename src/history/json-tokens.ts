import type { Json } from '../protocol/json.ts';
import { textTokens } from './text-tokens.ts';

/** What a value weighs as JSON, in tokens. The quotes, colons and commas around texts are mostly one token together. */
export function jsonTokens(value: Json): number {
  if (typeof value === 'string') return textTokens(value) + perText;
  if (typeof value !== 'object' || value === null) return textTokens(String(value)) + perText;
  if (Array.isArray(value)) return value.reduce((sum: number, each: Json) => sum + jsonTokens(each), perBrackets);
  let tokens = perBrackets;
  for (const [key, each] of Object.entries(value)) {
    if (each !== undefined) tokens += textTokens(key) + perText + jsonTokens(each);
  }
  return tokens;
}

const perText = 1;
const perBrackets = 0.5;
