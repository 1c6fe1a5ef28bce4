import type { Json, JsonObject } from '../../protocol/json.ts';
import { hiddenMark } from '../policy/secrets.ts';
import type { ConfigProblem } from './layer-order.ts';
import { mergeValues } from '../policy/profiles/tables/inherited-table.ts';
import { wrapValueInKeys } from './merge-values.ts';
import { parseTomlKey } from './toml/toml-key.ts';

export interface ConfigOverride {
  readonly path: readonly string[];
  readonly value: Json;
  /** The key may belong to another program, so an unknown key is only a warning. */
  readonly foreign?: true;
  /** Comes from a client of the MCP server, so it reopens nothing of Capstan's own. */
  readonly ofCall?: true;
}

export function splitConfigOverride(
  text: string,
): (Pick<ConfigOverride, 'path'> & { readonly written: string }) | ConfigProblem {
  const equals = text.indexOf('=');
  if (equals < 0) return malformed(text, 'has no "="');
  const key = text.slice(0, equals).trim();
  const isQuoted = key.includes('"') || key.includes("'");
  const path = (isQuoted ? undefined : parseUnquotedProfileKey(key)) ?? parseTomlKey(key);
  if (path === 'ambiguous') return malformed(text, 'has a path with dots in its key, which must be in quotes');
  if (path === undefined || path.includes('')) return malformed(text, 'has no valid key before the "="');
  return { path, written: text.slice(equals + 1).trim() };
}

/** The layer values of all overrides; of two that set the same key, the later wins. */
export const overrideValues = (overrides: readonly ConfigOverride[]): JsonObject =>
  overrides.reduce<JsonObject>(
    (values, override) => mergeValues(values, wrapValueInKeys(override.path, override.value)),
    {},
  );

function malformed(text: string, what: string): ConfigProblem {
  const shown = shownConfigOverride(text);
  const message = `The override "${shown}" ${what}`;
  const next = 'Write -c key=value, for example -c model_reasoning_effort=high.';
  return { code: 'override-malformed', message, next, severity: 'error', source: `-c ${shown}` };
}

/** Shows only the key: the rest may be a secret. */
export function shownConfigOverride(text: string): string {
  const key = /^[^=:\s]*[=:\s]?/.exec(text)?.[0] ?? '';
  return key === text ? text : `${key}${hiddenMark}`;
}

/**
 * Splits a key below `permissions` whose names are unquoted: some programs just join the names with dots. `ambiguous`:
 * a dot may belong to a path or separate two names. Undefined if the key is not of this kind.
 */
function parseUnquotedProfileKey(text: string): readonly string[] | 'ambiguous' | undefined {
  const found =
    /^permissions\.([A-Za-z0-9_-]+)\.(filesystem|workspace_roots|network\.(?:domains|unix_sockets))\.(.+)$/s.exec(text);
  if (found === null) return undefined;
  const [, id = '', table = '', rest = ''] = found;
  const before = ['permissions', id, ...table.split('.')];
  // No tables follow below these, so the rest is one name.
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
