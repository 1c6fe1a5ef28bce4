import { parse, TomlError } from 'smol-toml';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { type Override, splitOverride } from '../../config/override.ts';

export type ParsedToml =
  | { readonly kind: 'parsed'; readonly json: JsonObject }
  | { readonly kind: 'malformed'; readonly error: TomlError };

/** A TOML document as JSON. The parser comes with what every start loads: a chunk of its own took longer. */
export async function parseToml(text: string): Promise<ParsedToml> {
  try {
    return { kind: 'parsed', json: toJsonObject(parse(text)) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { kind: 'malformed', error };
  }
}

/** Dates have no JSON form and no key wants one; as text they get a message that shows them. */
function toJsonObject(table: object): JsonObject {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, toJson(value)]));
}

function toJson(value: unknown): Json {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null) return toJsonObject(value);
  return value as string | number | boolean;
}

/** `key=value` as it stands after `-c`. A value that is not TOML is taken as text: a model name needs no quotes. */
export async function readOverride(text: string): Promise<Override | ConfigProblem> {
  const split = splitOverride(text);
  if ('code' in split) return split;
  const { path, written } = split;
  return { path, value: (await tomlValue(written)) ?? withoutQuotes(written) };
}

/** Undefined when the text is no value of TOML. */
async function tomlValue(written: string): Promise<Json | undefined> {
  if (written === 'true' || written === 'false') return written === 'true';
  // Nothing else begins a value. `inf` and `nan` do, and are more likely the name of something.
  if (!/^(?:["'[{+\-\d]|(?:true|false)\b)/.test(written)) return undefined;
  const parsed = await parseToml(`value = ${written}`);
  // A line break in the text may begin another key.
  return parsed.kind === 'parsed' && Object.keys(parsed.json).length === 1 ? parsed.json['value'] : undefined;
}

function withoutQuotes(text: string): string {
  return text.replace(/^["']+|["']+$/g, '');
}
