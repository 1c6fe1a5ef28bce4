import { parse, TomlError } from 'smol-toml';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { ConfigProblem } from '../../../core/config/layer-order.ts';
import { type ConfigOverride, splitConfigOverride } from '../../../core/config/flag-overrides.ts';

export type ParsedToml =
  | { readonly kind: 'parsed'; readonly json: JsonObject }
  | { readonly kind: 'malformed'; readonly error: TomlProblem };

export type TomlProblem = { readonly line: number; readonly column: number; readonly reason: string };
const word = String.raw`(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')`;
const dotted = String.raw`${word}(?:\s*\.\s*${word})*`;
/** The part of a line that contains no value: a key with its `=`, or a table name. */
const beforeValue = new RegExp(String.raw`^\s*(?:${dotted}\s*=\s*|\[\[?\s*${dotted}\s*\]{0,2})`);

/** The line of an error with value characters as `*`. Undefined if it has no key, or is part of a longer value. */
export function maskedTomlLine(text: string, { line, column }: TomlProblem): string | undefined {
  const lines = text.split(/\r?\n/);
  const written = lines[line - 1] ?? '';
  const shown = beforeValue.exec(written)?.[0] ?? '';
  if (shown === '' || !isWhole(lines.slice(0, line - 1).join('\n'))) return undefined;
  const masked = Math.min(column, written.length) - shown.length;
  return `${shown}${'*'.repeat(Math.max(masked, 0))}${written.length > Math.max(column, shown.length) ? '…' : ''}`;
}

function isWhole(before: string): boolean {
  try {
    parse(before);
    return true;
  } catch {
    return false;
  }
}

/** The parser is bundled with what every start loads: a chunk of its own took longer. */
export async function parseToml(text: string): Promise<ParsedToml> {
  try {
    return { kind: 'parsed', json: toJsonObject(parse(text)) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { kind: 'malformed', error: problemOf(text, error) };
  }
}

/** Reworded for users: the parser reports where it gave up, possibly far after the mistake. */
function problemOf(text: string, { line, column, message }: TomlError): TomlProblem {
  const reason = (message.split('\n', 1)[0] ?? '').replace(/^Invalid TOML document: /, '');
  const written = text.split(/\r?\n/);
  const here = written[line - 1] ?? '';
  const isAtEnd = column > here.trimEnd().length;
  if (reason === 'unfinished string' || (isAtEnd && reason.startsWith('control characters are not allowed'))) {
    const open = openString(here) ?? { column, quote: here.slice(column - 1).startsWith("'") ? "'" : '"' };
    return { line, column: open.column, reason: `the string that begins here has no end: ${open.quote} is missing` };
  }
  if (isAtEnd && here.trimStart().startsWith('[') && reason === 'illegal character in key')
    return { line, column, reason: 'the name of this table has no end: ] is missing' };
  const isOver = written.slice(line - 1).every((each) => each.trim() === '');
  if (isOver && reason === 'expected comma or end of structure') {
    const last = written.findLastIndex((each) => each.trim() !== '');
    const at = { line: last + 1, column: (written[last] ?? '').trimEnd().length + 1 };
    return { ...at, reason: 'the file ends inside a list or table: ] or } is missing' };
  }
  return { line, column, reason };
}

/** A string that does not end in its line. Outside of strings and comments nothing else contains a quote. */
function openString(line: string): { readonly column: number; readonly quote: string } | undefined {
  let at = 0;
  while (at < line.length && line[at] !== '#') {
    const quote = ['"""', "'''", '"', "'"].find((mark) => line.startsWith(mark, at));
    if (quote === undefined) {
      at += 1;
      continue;
    }
    let end = at + quote.length;
    while (end < line.length && !line.startsWith(quote, end)) end += line[end] === '\\' && quote[0] === '"' ? 2 : 1;
    if (end >= line.length) return { column: at + 1, quote };
    at = end + quote.length;
  }
  return undefined;
}

/** Dates have no JSON form and no key wants one; as text they get a message that shows them. */
const toJsonObject = (table: object): JsonObject =>
  Object.fromEntries(Object.entries(table).map(([key, value]) => [key, toJson(value)]));

function toJson(value: unknown): Json {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null) return toJsonObject(value);
  return value as string | number | boolean;
}

/** Parses `key=value` as given after `-c`. A value that is not TOML is text, so a model name needs no quotes. */
export async function parseOverrideText(text: string): Promise<ConfigOverride | ConfigProblem> {
  const split = splitConfigOverride(text);
  if ('code' in split) return split;
  const { path, written } = split;
  return { path, value: (await tomlValue(written)) ?? withoutQuotes(written) };
}

async function tomlValue(written: string): Promise<Json | undefined> {
  if (written === 'true' || written === 'false') return written === 'true';
  // Any other text is no TOML value, except `inf` and `nan`, which are more likely names.
  if (!/^(?:["'[{+\-\d]|(?:true|false)\b)/.test(written)) return undefined;
  const parsed = await parseToml(`value = ${written}`);
  // A line break in the text may begin another key.
  return parsed.kind === 'parsed' && Object.keys(parsed.json).length === 1 ? parsed.json['value'] : undefined;
}

const withoutQuotes = (text: string): string => text.replace(/^["']+|["']+$/g, '');
