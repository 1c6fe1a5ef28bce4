import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** The value at the end of a path of keys, or undefined. */
export function valueAt(values: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = values;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
