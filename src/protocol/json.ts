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

/**
 * The object that a text is; undefined for any other value, for what is no JSON, and for what nests deeper than
 * `mostTextLevels`.
 */
export function parseJsonObject(text: string): JsonObject | undefined {
  if (isNestedTooDeeply(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The member if it is a string, else undefined, also where there is no object. Foreign files hold anything anywhere. */
export function stringAt(value: JsonObject | undefined, key: string): string | undefined {
  const member = value?.[key];
  return typeof member === 'string' ? member : undefined;
}

/** The member if it is a finite number, else undefined. */
export function numberAt(value: JsonObject | undefined, key: string): number | undefined {
  const member = value?.[key];
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}

/** The member if it is an object, else undefined. */
export function objectAt(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const member = value?.[key];
  return isJsonObject(member) ? member : undefined;
}

/** The member if it is an array, else undefined. */
export function arrayAt(value: JsonObject | undefined, key: string): readonly Json[] | undefined {
  const member = value?.[key];
  return Array.isArray(member) ? (member as readonly Json[]) : undefined;
}

/** The value at the end of a path of keys, or undefined. */
export function valueAt(values: JsonObject | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = values;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Whether two values say the same. A member that is undefined is none. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((member, i) => equalJson(member as Json, b[i] as Json));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => equalJson(a[key], b[key]));
}

/** JSON with the members of each object by name: equal values have equal texts. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member !== 'object' || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/** No honest value of a model or a server has more levels. */
export const mostLevels = 200;

/**
 * No honest text has more levels: what wraps a value takes far fewer than this leaves. A deeper value would overflow the
 * stack of every reader that walks it and writes it again.
 */
export const mostTextLevels = 1000;

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket] = [0x5b, 0x5d];
const [openBrace, closeBrace] = [0x7b, 0x7d];

/**
 * Whether a text has more levels than it may, before it is parsed: the parser takes 100 bytes and a third of a
 * microsecond for every level, also of a text that turns out to be no JSON. Strings are skipped over.
 */
export function isNestedTooDeeply(text: string, most: number = mostTextLevels): boolean {
  if (text.length <= most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = stringEnd(text, at + 1);
    else if (sign === openBracket || sign === openBrace) {
      depth += 1;
      if (depth > most) return true;
    } else if (sign === closeBracket || sign === closeBrace) depth -= 1;
  }
  return false;
}

/** Where the quotation mark stands that ends the string, or the end of the text. */
function stringEnd(text: string, from: number): number {
  for (let start = from; ;) {
    const end = text.indexOf('"', start);
    if (end === -1) return text.length;
    let before = end;
    while (before > start && text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
    start = end + 1;
  }
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

/**
 * What of a text no name, path, argument or file of ours can hold, for a sentence; undefined when there is nothing. A
 * zero byte ends a text for the system, and half of a surrogate pair has no form in UTF-8.
 */
export function unstorableTextPart(text: string): string | undefined {
  if (text.includes('\0')) return 'a zero byte';
  return text.isWellFormed() ? undefined : loneSurrogateWords;
}

export const loneSurrogateWords = 'half of a character (a lone surrogate)';

/** No argument has more levels. */
const mostSearchedLevels = 100;

/** The first odd text in a value, names included, and where: `a.b[0]`. Nesting without end is as odd. */
export function findUnstorableText(
  value: unknown,
  levels: number = mostSearchedLevels,
): { readonly at: string; readonly what: string } | undefined {
  if (levels === 0) return { at: '', what: `more than ${mostSearchedLevels} levels` };
  if (typeof value === 'string') {
    const what = unstorableTextPart(value);
    return what === undefined ? undefined : { at: '', what };
  }
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      const odd = findUnstorableText(member, levels - 1);
      if (odd !== undefined) return { ...odd, at: `[${index}]${odd.at}` };
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const inName = unstorableTextPart(key);
    if (inName !== undefined) return { at: '', what: inName };
    const odd = findUnstorableText(member, levels - 1);
    if (odd !== undefined)
      return { ...odd, at: `${key}${odd.at === '' || odd.at.startsWith('[') ? '' : '.'}${odd.at}` };
  }
  return undefined;
}
