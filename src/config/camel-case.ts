import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import type { KeyKind, KeyTable, TableKind, ValuesOf } from './key-kind.ts';

/** Checked values under the names that the code uses. What the user named (providers, headers) stays as written. */
export function camelCased<Keys extends KeyTable>(kind: TableKind<Keys>, values: JsonObject): ValuesOf<Keys> {
  // The one place where the table's claim about its values becomes a type; `checkValues` has made it true.
  return renamed(kind.keys, values) as ValuesOf<Keys>;
}

function renamed(keys: KeyTable, values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [toCamelCase(key), renamedValue(keys[key], value)]),
  );
}

function renamedValue(kind: KeyKind | undefined, value: Json | undefined): Json | undefined {
  if (!isJsonObject(value)) return value;
  if (kind?.type === 'table') return renamed(kind.keys, value);
  if (kind?.type !== 'named-tables') return value;
  const { keys } = kind;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isJsonObject(member) ? renamed(keys, member) : member]),
  );
}

/** Written without a pattern: this runs at every start, and compiling one takes longer than all keys together. */
function toCamelCase(key: string): string {
  const [first = '', ...words] = key.split('_');
  return first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
