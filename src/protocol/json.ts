export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json | undefined };
/** For the stored state of world sections: `null` means "removed" in a merge patch. */
export type JsonWithoutNull = Exclude<Json, null>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for any other value, for invalid JSON, and for nesting deeper than `mostTextLevels`. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = isNestedTooDeeply(text) ? undefined : parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Undefined unless the member is a string; also without an object. Foreign files hold anything anywhere. */
export function stringAt(value: JsonObject | undefined, key: string): string | undefined {
  const member = value?.[key];
  return typeof member === 'string' ? member : undefined;
}

export function numberAt(value: JsonObject | undefined, key: string): number | undefined {
  const member = value?.[key];
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}

export const trueAt = (value: JsonObject | undefined, key: string): true | undefined =>
  value?.[key] === true || undefined;

export function objectAt(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const member = value?.[key];
  return isJsonObject(member) ? member : undefined;
}

export function arrayAt(value: JsonObject | undefined, key: string): readonly Json[] | undefined {
  const member = value?.[key];
  return Array.isArray(member) ? (member as readonly Json[]) : undefined;
}

/** The objects of a list; other members are left out. */
export const objectsAt = (value: JsonObject | undefined, key: string): readonly JsonObject[] =>
  (arrayAt(value, key) ?? []).filter(isJsonObject);

/** True for an object with these strings. */
export const hasTexts = (value: Json | undefined, ...keys: readonly string[]): value is JsonObject =>
  isJsonObject(value) && keys.every((key) => stringAt(value, key) !== undefined);

export function valueAt(values: JsonObject | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = values;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Deep equality. An undefined member counts as absent. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((member, i) => equalJson(member as Json, b[i] as Json));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => equalJson(a[key], b[key]));
}

/** JSON with sorted members: equal values have equal texts. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member !== 'object' || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/** No honest value of a model or a server has more levels. */
export const mostLevels = 200;
/** No honest text has more levels, even with wrappers; a deeper value could overflow the stack of its readers. */
export const mostTextLevels = 1000;
const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket] = [0x5b, 0x5d];
const [openBrace, closeBrace] = [0x7b, 0x7d];

/**
 * Checks nesting outside strings before parsing, which takes 100 bytes and a third of a microsecond per level, even for
 * a text that is no JSON.
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

/** True if walking the value could overflow the stack. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => nestsDeeperThan(levels - 1, member));
}

/** Names the part that cannot be stored: a zero byte, which ends texts, or a lone surrogate, which is not UTF-8. */
export function unstorableTextPart(text: string): string | undefined {
  if (text.includes('\0')) return 'a zero byte';
  return text.isWellFormed() ? undefined : loneSurrogateWords;
}

export const loneSurrogateWords = 'half of a character (a lone surrogate)';
const mostSearchedLevels = 100;
type UnstorableText = { readonly at: string; readonly what: string };

/** The first unstorable text in a value or its names, and its place: `a.b[0]`. Endless nesting counts as unstorable. */
export function findUnstorableText(value: unknown, levels: number = mostSearchedLevels): UnstorableText | undefined {
  if (levels === 0) return { at: '', what: `more than ${mostSearchedLevels} levels` };
  if (typeof value === 'string') {
    const what = unstorableTextPart(value);
    return what === undefined ? undefined : { at: '', what };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    const inName = isList ? undefined : unstorableTextPart(key);
    if (inName !== undefined) return { at: '', what: inName };
    const odd = findUnstorableText(member, levels - 1);
    if (odd === undefined) continue;
    const isJoined = isList || odd.at === '' || odd.at.startsWith('[');
    return { ...odd, at: `${isList ? `[${key}]` : key}${isJoined ? '' : '.'}${odd.at}` };
  }
  return undefined;
}
