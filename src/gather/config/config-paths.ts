import { join, resolve } from 'node:path';
import type { ConfigLayer } from '../../config/config-layer.ts';
import type { KeyKind, KeyTable, NamedTablesKind } from '../../config/key-kind.ts';
import { isFileUrl } from '../../config/kind-rules.ts';
import { keyTable } from '../../config/key-table.ts';
import { type Override, overrideValues } from '../../config/override.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';

export interface PathBase {
  /** What relative paths start from: the folder of the file, or the working folder for flags. */
  readonly base: string;
  /** What `~` stands for. */
  readonly osHome: string;
}

/** The values with every path in them made absolute. Values of a wrong type are left for the check that reports them. */
export function resolveConfigPaths(values: JsonObject, base: PathBase): JsonObject {
  return resolveTokenCommands(resolveTable(keyTable.keys, values, base), base);
}

/** Commands that print keys: one that is named by a path starts from its `cwd`, else from the folder of the file. */
function resolveTokenCommands(values: JsonObject, base: PathBase): JsonObject {
  const providers = values['model_providers'];
  if (!isJsonObject(providers)) return values;
  const resolved = Object.entries(providers).map(([id, provider]) => {
    const auth = isJsonObject(provider) ? provider['auth'] : undefined;
    if (!isJsonObject(provider) || !isJsonObject(auth)) return [id, provider] as const;
    const { command, cwd } = auth;
    if (typeof command !== 'string' || !command.includes('/')) return [id, provider] as const;
    const from = typeof cwd === 'string' ? { ...base, base: cwd } : base;
    return [id, { ...provider, auth: { ...auth, command: absolute(command, from) } }] as const;
  });
  return { ...values, model_providers: Object.fromEntries(resolved) };
}

/** The layer that the overrides of the command line make up. */
export function flagsLayer(overrides: readonly Override[], base: PathBase): ConfigLayer {
  return { name: 'flags', source: 'command line', values: resolveConfigPaths(overrideValues(overrides), base) };
}

function resolveTable(keys: KeyTable, values: JsonObject, base: PathBase): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const kind = Object.hasOwn(keys, key) ? keys[key] : undefined;
      return [key, value === undefined ? undefined : resolveValue(kind, value, base)];
    }),
  );
}

function resolveValue(kind: KeyKind | undefined, value: Json, base: PathBase): Json {
  switch (kind?.type) {
    case 'path':
      return absolute(value, base);
    case 'path-list':
      return Array.isArray(value) ? value.map((member: Json) => absolute(member, base)) : value;
    case 'table':
      return isJsonObject(value) ? resolveTable(kind.keys, value, base) : value;
    case 'named-tables':
      return isJsonObject(value) ? resolveNamed(kind, value, base) : value;
    default:
      return value;
  }
}

export function absolute(value: Json, { base, osHome }: PathBase): Json {
  if (typeof value !== 'string' || value === '' || isFileUrl(value)) return value;
  return fromHome(value, osHome) ?? resolve(base, value);
}

function fromHome(path: string, osHome: string): string | undefined {
  if (path === '~') return osHome;
  return path.startsWith('~/') ? join(osHome, path.slice(2)) : undefined;
}

/** Of names only `~` is replaced: a folder that is named by a relative path could be any. */
function resolveNamed({ names, keys }: NamedTablesKind<KeyTable>, values: JsonObject, base: PathBase): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      (names === 'folders' ? fromHome(name, base.osHome) : undefined) ?? name,
      isJsonObject(value) ? resolveTable(keys, value, base) : value,
    ]),
  );
}
