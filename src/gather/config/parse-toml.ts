import type { TomlError } from 'smol-toml';
import type { Json, JsonObject } from '../../protocol/json.ts';

export type ParsedToml =
  | { readonly kind: 'parsed'; readonly json: JsonObject }
  | { readonly kind: 'malformed'; readonly error: TomlError };

/** A TOML document as JSON. Loading the parser costs more than all the rest, so call this only for text that needs it. */
export async function parseToml(text: string): Promise<ParsedToml> {
  const { parse, TomlError } = await import('smol-toml');
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
