import { equalJson, isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** Applies a merge patch (RFC 7386). The result shares what did not change with `target`. */
export function applyPatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json | undefined> = { ...(isJsonObject(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[key];
    else result[key] = applyPatch(result[key], value);
  }
  return result;
}

/** The patch that turns `before` into `now`, or undefined when they are equal. Neither holds null in objects. */
export function makePatch(before: JsonObject, now: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(before)) if (now[key] === undefined && before[key] !== undefined) patch[key] = null;
  for (const [key, value] of Object.entries(now)) {
    if (value === undefined) continue;
    const old = before[key];
    if (isJsonObject(old) && isJsonObject(value)) {
      const inner = makePatch(old, value);
      if (inner !== undefined) patch[key] = inner;
    } else if (!equalJson(old, value)) patch[key] = value;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
