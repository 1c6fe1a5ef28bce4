import { defined } from '../../../base/objects.ts';
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../../protocol/json.ts';
import type { ConfigLayer } from '../layer-order.ts';
import { mergeConfigLayers } from '../merge-values.ts';
import { mergeValues } from '../../policy/profiles/tables/inherited-table.ts';
import { decidingKey } from '../permission-profiles.ts';
import { checkConfigLayers } from './check-layers.ts';
import { type CheckOptions, nearestConfigKey } from './check-values.ts';
import { isLeafKey, type ConfigKeyKind } from './key-kinds.ts';
import { configSchema } from './key-table.ts';

export type ConfigKeyStatus =
  | { readonly kind: 'used' | 'unused' }
  | { readonly kind: 'unknown'; readonly nearest?: readonly string[] };

export const configKeyStatus = (path: readonly string[]): ConfigKeyStatus => statusIn(configSchema, path, []);

function statusIn(kind: ConfigKeyKind, path: readonly string[], before: readonly string[]): ConfigKeyStatus {
  const [key, ...rest] = path;
  if (key === undefined) return { kind: kind.type === 'retired' ? 'unused' : 'used' };
  const here = [...before, key];
  if (isLeafKey(kind)) {
    return { kind: kind.type === 'free' || (isMap(kind) && rest.length === 0) ? 'used' : 'unknown' };
  }
  switch (kind.type) {
    case 'table': {
      const next = Object.hasOwn(kind.keys, key) ? kind.keys[key] : undefined;
      if (next !== undefined) return statusIn(next, rest, here);
      if (kind.unused.includes(key)) return { kind: 'unused' };
      return unknownKey(key, before, [...Object.keys(kind.keys), ...kind.unused]);
    }
    case 'named-tables':
      // A user-defined name is followed by a table of fixed keys again.
      return statusIn({ ...kind, type: 'table', unknown: 'warning' }, rest, here);
    case 'toggles':
      return kind.names.includes(key) ? { kind: 'used' } : unknownKey(key, before, kind.names);
    case 'retired':
      return { kind: 'unused' };
  }
}

/** A table of values under names that the user chooses. */
const isMap = ({ type }: ConfigKeyKind): boolean =>
  type === 'string-map' || type === 'variable-map' || type === 'choice-map';

function unknownKey(key: string, before: readonly string[], known: readonly string[]): ConfigKeyStatus {
  const nearest = nearestConfigKey(key, known);
  return { kind: 'unknown', ...defined({ nearest: nearest === undefined ? undefined : [...before, nearest] }) };
}

/** Every key that has one name and takes one value, in command-line form: `window.effective_percent`. */
export const configKeyNames = (): readonly string[] => namesIn(configSchema, []);

function namesIn(kind: ConfigKeyKind, path: readonly string[]): readonly string[] {
  if (isLeafKey(kind)) return kind.type === 'free' || isMap(kind) ? [] : [path.join('.')];
  switch (kind.type) {
    case 'table':
      return Object.entries(kind.keys).flatMap(([key, below]) => namesIn(below, [...path, key]));
    case 'toggles':
      return kind.names.map((name) => [...path, name].join('.'));
    case 'named-tables':
    case 'retired':
      return [];
  }
}

export interface EffectiveValues {
  /** Includes keys without an effect yet; excludes invalid ones, and the one of two that another key overrules. */
  readonly values: JsonObject;
  originOf(path: readonly string[]): ConfigLayer | undefined;
}

/** `layers` must begin with the defaults. */
export function effectiveValues(layers: readonly ConfigLayer[], options: CheckOptions): EffectiveValues {
  const { defaults = [], given = [] } = Object.groupBy(layers, ({ name }) =>
    name === 'default' ? 'defaults' : 'given',
  );
  const all = [
    ...defaults.map((layer) => ({ layer, values: layer.values })),
    ...checkConfigLayers(given, options).map(({ layer, values, unused }) => ({
      layer,
      values: mergeValues(unused, values),
    })),
  ];
  const decider = all.map(({ values }) => decidingKey(values)).findLast((key) => key !== undefined);
  const counts = (key: string | undefined): boolean =>
    decider === undefined || decider === key || (key !== 'sandbox_mode' && key !== 'default_permissions');
  const merged = Object.entries(mergeConfigLayers(all.map(({ values }) => values)));
  return {
    values: Object.fromEntries(merged.filter(([key]) => counts(key))),
    originOf: (path) =>
      counts(path[0]) ? all.findLast(({ values }) => valueAt(values, path) !== undefined)?.layer : undefined,
  };
}

/** Every non-table value with its path. An empty table counts as a value. */
export function leafValues(
  values: JsonObject,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly value: Json }[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const at = [...path, key];
    return isJsonObject(value) && Object.keys(value).length > 0 ? leafValues(value, at) : [{ path: at, value }];
  });
}
