import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { formatTomlKey, formatTomlString } from './toml-key.ts';

/** What to say behind a key, on its line. */
type WriteOptions = { readonly comment?: (path: readonly string[]) => string | undefined };

/** The values as a TOML document. Keys stay in their order, but for tables, which come after all other keys. */
export function writeToml(values: JsonObject, options: WriteOptions = {}): string {
  const blocks = tableBlocks(values, [], options);
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

/** One value as it stands behind the `=`. */
export function writeTomlValue(value: Json): string {
  if (typeof value === 'string') return formatTomlString(value);
  if (Array.isArray(value)) return `[${value.map(writeTomlValue).join(', ')}]`;
  if (!isJsonObject(value)) return writeScalar(value);
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${formatTomlKey([key])} = ${writeTomlValue(member)}`],
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function writeScalar(value: Json): string {
  if (typeof value !== 'number' || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

function tableBlocks(values: JsonObject, path: readonly string[], options: WriteOptions): readonly string[] {
  const members = Object.entries(values).filter((member): member is [string, Json] => member[1] !== undefined);
  const lines = members
    .filter(([, value]) => !isFilledTable(value))
    .map(([key, value]) => {
      const comment = options.comment?.([...path, key]);
      const line = `${formatTomlKey([key])} = ${writeTomlValue(value)}`;
      return comment === undefined ? line : `${line}  # ${comment}`;
    });
  const header = path.length === 0 ? [] : [`[${formatTomlKey(path)}]`];
  const own = lines.length === 0 ? [] : [[...header, ...lines].join('\n')];
  const tables = members.flatMap(([key, value]) =>
    isFilledTable(value) ? tableBlocks(value, [...path, key], options) : [],
  );
  return [...own, ...tables];
}

function isFilledTable(value: Json): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0;
}
