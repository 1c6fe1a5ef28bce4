import { isJsonObject, type JsonObject } from '../protocol/json.ts';

/** Why a value cannot be read: a key that is not known, or a value of another sort. `at` is the way to it; empty: itself. */
export type WrongValue =
  | { readonly wrong: 'key'; readonly at: string; readonly key: string; readonly known: readonly string[] }
  | {
      readonly wrong: 'value';
      readonly at: string;
      readonly expected: string;
      readonly given: unknown;
      /** The problem inside of it, as a sentence. */
      readonly why?: string;
    };

export function isWrong(value: unknown): value is WrongValue {
  return isJsonObject(value) && (value['wrong'] === 'key' || value['wrong'] === 'value') && 'at' in value;
}

/** `expected`: the rest of a sentence that begins with "must be". */
export function wrongAt(at: string, expected: string, given: unknown): WrongValue {
  return { wrong: 'value', at, expected, given };
}

/** A key that is silently dropped may be a restriction with a slip in its name: every key must be known. */
export function unknownKeyIn(value: JsonObject, at: string, known: readonly string[]): WrongValue | undefined {
  const key = Object.keys(value).find((name) => !known.includes(name));
  return key === undefined ? undefined : { wrong: 'key', at, key, known };
}

export function memberAt(at: string, key: string | number): string {
  if (typeof key === 'number') return `${at}[${key}]`;
  return at === '' ? key : `${at}.${key}`;
}
