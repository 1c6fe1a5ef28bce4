import type { Json, JsonObject } from '../protocol/json.ts';
import { hiddenMark } from '../policy/secrets.ts';
import type { ConfigProblem } from './config-problem.ts';
import { mergeValues } from './merge-values.ts';
import { rawProfileKey } from './raw-profile-key.ts';
import { parseTomlKey } from './toml-key.ts';

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
  const path = (isQuoted ? undefined : rawProfileKey(key)) ?? parseTomlKey(key);
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
