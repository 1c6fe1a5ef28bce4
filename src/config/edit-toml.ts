import type { Json, JsonObject } from '../protocol/json.ts';
import { formatTomlKey, parseTomlKey } from './toml-key.ts';
import { tomlValueSpan } from './toml-value-span.ts';
import { writeToml, writeTomlValue } from './write-toml.ts';

/** A document with a table and all below it taken out, comments of other tables kept. Line by line: the caller checks. */
export function withoutTomlTable(text: string, path: readonly string[]): string {
  const kept: string[] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    const header = headerOf(line);
    if (header !== undefined) isInside = path.every((part, at) => header[at] === part);
    if (!isInside) kept.push(line);
  }
  return `${kept.join('\n').trimEnd()}\n`;
}

/** A document without the header of a table that has neither lines nor comments of its own. */
export function withoutBareTable(text: string, path: readonly string[]): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => headerOf(line)?.join('\n') === path.join('\n'));
  if (from < 0 || lines[from]?.includes('#') === true) return text;
  const behind = lines.slice(from + 1).findIndex((line) => line.trim() !== '');
  const next = behind < 0 ? lines.length : from + 1 + behind;
  if (next < lines.length && headerOf(lines[next] ?? '') === undefined) return text;
  const kept = lines.toSpliced(from, next - from);
  return behind < 0 ? `${kept.join('\n').trimEnd()}\n` : kept.join('\n');
}

/** A document with a table more, at its end. */
export function withTomlTable(text: string, path: readonly string[], values: JsonObject): string {
  const nested = path.reduceRight<JsonObject>((inner, part) => ({ [part]: inner }), values);
  const before = text.trimEnd();
  return `${before === '' ? '' : `${before}\n\n`}${writeToml(nested)}`;
}

/** A document with other values for some of its first keys, those before all tables. Line by line: the caller checks. */
export function withTomlKeys(text: string, values: JsonObject): string {
  const lines = text === '' ? [] : text.trimEnd().split('\n');
  const written = Object.entries(values).map(([key, value]) => {
    const line = `${formatTomlKey([key])} = ${writeTomlValue(value!)}`;
    const first = lines.findIndex((each) => headerOf(each) !== undefined);
    const own = lines.slice(0, first === -1 ? lines.length : first);
    const at = own.findIndex((each) => parseTomlKey(each.split('=')[0]!.trim())?.join('\n') === key);
    if (at !== -1) lines[at] = line;
    return at === -1 ? [line] : [];
  });
  return `${[...written.flat(), ...lines].join('\n')}\n`;
}

/**
 * A document with one key of a table set, or taken out, in its own line; all other lines stay to the letter, and so does
 * the comment behind a value that is replaced. Undefined where the table has no lines of its own. Line by line: the
 * caller checks.
 */
export function withTomlKey(
  text: string,
  path: readonly string[],
  key: string,
  value: Json | undefined,
): string | undefined {
  const lines = text.split('\n');
  const isHere = (header: readonly string[] | undefined): boolean => header?.join('\n') === path.join('\n');
  const from = lines.findIndex((line) => isHere(headerOf(line)));
  if (from < 0) return undefined;
  const next = lines.findIndex((line, at) => at > from && headerOf(line) !== undefined);
  const end = next < 0 ? lines.length : next;
  const at = lines.findIndex((line, index) => index > from && index < end && keyOf(line) === key);
  const line = value === undefined ? undefined : `${formatTomlKey([key])} = ${writeTomlValue(value)}`;
  if (at >= 0) {
    const { last, comment } = tomlValueSpan(lines, at);
    return lines.toSpliced(at, last - at + 1, ...(line === undefined ? [] : [line + comment])).join('\n');
  }
  const written = line === undefined ? [] : [line];
  // Behind the last line of the table that says something: a comment at its end may be about the next table.
  const last = lines.slice(0, end).findLastIndex((each) => /^\s*[^\s#]/.test(each));
  return lines.toSpliced(last + 1, 0, ...written).join('\n');
}

/** The key that a line gives a value. */
function keyOf(line: string): string | undefined {
  const [, written] = /^\s*([\w"'-]+)\s*=/.exec(line) ?? [];
  return written === undefined ? undefined : parseTomlKey(written)?.[0];
}

/** The table whose header stands last above a line, counted from 1; empty: none does. */
export function tomlTableAbove(text: string, line: number): readonly string[] {
  const headers = text
    .split('\n')
    .slice(0, line - 1)
    .map(headerOf);
  return headers.findLast((header) => header !== undefined) ?? [];
}

function headerOf(line: string): readonly string[] | undefined {
  const [, , inside] = /^\s*(\[\[?)\s*(.*?)\s*\]\]?\s*(?:#.*)?$/.exec(line) ?? [];
  return inside === undefined ? undefined : parseTomlKey(inside);
}
