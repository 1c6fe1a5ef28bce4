/** Any JSON value, as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A JSON value that is not `null`. Snapshots need it: `null` means "removed" in a merge patch. */
export type JsonWithoutNull = Exclude<Json, null>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a text is; undefined for any other value, and for what is no JSON. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The member if it is a string, else undefined. Foreign files hold anything anywhere. */
export function stringAt(value: JsonObject, key: string): string | undefined {
  const member = value[key];
  return typeof member === 'string' ? member : undefined;
}

/** The member if it is a finite number, else undefined. */
export function numberAt(value: JsonObject, key: string): number | undefined {
  const member = value[key];
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}

/** The member if it is an object, else undefined. */
export function objectAt(value: JsonObject, key: string): JsonObject | undefined {
  const member = value[key];
  return isJsonObject(member) ? member : undefined;
}

/** The member if it is an array, else undefined. */
export function arrayAt(value: JsonObject, key: string): readonly Json[] | undefined {
  const member = value[key];
  return Array.isArray(member) ? (member as readonly Json[]) : undefined;
}

/** Whether a value has more levels of lists and objects: going through it could overflow the stack. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const member of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)) {
    if (nestsDeeperThan(levels - 1, member)) return true;
  }
  return false;
}
