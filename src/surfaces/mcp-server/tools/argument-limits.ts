import { count } from '../../wording/number-words.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** In characters: of names, of keys, and of all else that is neither a message nor an instruction. */
const longestName = 256;
const longestText = 4096;

const names = new Set(['model', 'effort', 'summary', 'profile', 'permissions', 'approval_policy', 'sandbox']);
/** What people write; it has limits of its own. */
const isProse = /^(?:text|prompt|images|items|note|focus|add|content)$|_(?:instructions|prompt)$|^instructions$/;

/** Why the arguments of a call are refused before anything keeps or repeats them; undefined where they are not. */
export function tooLongArgument(args: JsonObject): Outcome | undefined {
  return inMembers(args);
}

function inMembers(value: JsonObject): Outcome | undefined {
  for (const [key, member] of Object.entries(value)) {
    if (key.length > longestName) return tooLong(`The key "${key.slice(0, 60)}…"`, key.length, longestName);
    const found = inValue(key, member);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inValue(key: string, value: Json | undefined): Outcome | undefined {
  // Keys of the configuration are paths, and older clients write names in camel case.
  const last = key.split('.').at(-1) ?? key;
  const name = last.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (isProse.test(name)) return undefined;
  const limit = names.has(name) ? longestName : longestText;
  if (typeof value === 'string') {
    return value.length > limit ? tooLong(`"${key}"`, value.length, limit) : undefined;
  }
  if (!Array.isArray(value)) return isJsonObject(value) ? inMembers(value) : undefined;
  for (const each of value as readonly Json[]) {
    const found = inValue(key, each);
    if (found !== undefined) return found;
  }
  return undefined;
}

function tooLong(what: string, length: number, limit: number): Outcome {
  return {
    code: 'argument-too-long',
    message: `${what} has ${count(length)} characters, and the limit is ${count(limit)}.`,
    next: 'Nothing was changed. Call again with a shorter value.',
  };
}
