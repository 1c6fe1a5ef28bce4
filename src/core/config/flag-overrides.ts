import type { Json, JsonObject } from '../../protocol/json.ts';
import { hiddenMark } from '../policy/secrets.ts';
import type { ConfigProblem } from './config-layer.ts';
import { mergeValues } from './merge-values.ts';
import { parseTomlKey } from './toml/toml-key.ts';

/** One key that a flag sets. */
export interface Override {
  readonly path: readonly string[];
  readonly value: Json;
  /** The key may be meant for another program: if it is not known, that is a warning. */
  readonly foreign?: true;
  /** A client of the MCP server gives it: it reopens nothing of Capstan's own. */
  readonly ofCall?: true;
}

/** The key of `key=value`, and its value as it is written. */
export function splitOverride(text: string): (Pick<Override, 'path'> & { readonly written: string }) | ConfigProblem {
  const equals = text.indexOf('=');
  if (equals < 0) return malformed(text, 'has no "="');
  const key = text.slice(0, equals).trim();
  const isQuoted = key.includes('"') || key.includes("'");
  const path = (isQuoted ? undefined : parseUnquotedProfileKey(key)) ?? parseTomlKey(key);
  if (path === 'ambiguous') return malformed(text, 'has a path with dots in its key, which must be in quotes');
  if (path === undefined || path.includes('')) return malformed(text, 'has no valid key before the "="');
  return { path, written: text.slice(equals + 1).trim() };
}

/** The values of a layer that sets all the overrides; of two that set the same key, the later one wins. */
export function overrideValues(overrides: readonly Override[]): JsonObject {
  return overrides.reduce<JsonObject>((values, override) => mergeValues(values, nested(override)), {});
}

function nested({ path, value }: Override): JsonObject {
  // The path has at least one part, so the outermost value is an object.
  return path.reduceRight<Json>((inner, key) => Object.fromEntries([[key, inner]]), value) as JsonObject;
}

function malformed(text: string, what: string): ConfigProblem {
  const shown = shownOverride(text);
  const message = `The override "${shown}" ${what}`;
  const next = 'Write -c key=value, for example -c model_reasoning_effort=high.';
  return { code: 'override-malformed', message, next, severity: 'error', source: `-c ${shown}` };
}

/** The key alone, as far as it is one: a secret may follow. */
export function shownOverride(text: string): string {
  const key = /^[^=:\s]*[=:\s]?/.exec(text)?.[0] ?? '';
  return key === text ? text : `${key}${hiddenMark}`;
}

/**
 * The parts of a key below `permissions` in which names stand without quotes, as programs write them that join the keys
 * of a map with dots. `ambiguous`: a dot may belong to a path or stand between two keys. Undefined: it is no such key.
 */
function parseUnquotedProfileKey(text: string): readonly string[] | 'ambiguous' | undefined {
  const found =
    /^permissions\.([A-Za-z0-9_-]+)\.(filesystem|workspace_roots|network\.(?:domains|unix_sockets))\.(.+)$/s.exec(text);
  if (found === null) return undefined;
  const [, id = '', table = '', rest = ''] = found;
  const before = ['permissions', id, ...table.split('.')];
  // The values of the other tables are no tables, so that everything that is left is one name.
  if (table !== 'filesystem') return [...before, rest];
  const symbol = /^:[A-Za-z0-9_-]+/.exec(rest)?.[0];
  if (symbol !== undefined) return symbolKey(before, symbol, rest.slice(symbol.length));
  if (!/^[/~]/.test(rest)) return undefined;
  // A dot that begins a name, as in `/home/me/.ssh`, separates nothing.
  return /[^/]\./.test(rest) ? 'ambiguous' : [...before, rest];
}

function symbolKey(before: readonly string[], symbol: string, rest: string): readonly string[] | undefined {
  if (rest === '') return [...before, symbol];
  return rest.startsWith('.') && rest.length > 1 ? [...before, symbol, rest.slice(1)] : undefined;
}
