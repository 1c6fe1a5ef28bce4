import { isJsonObject, type Json, type JsonObject, valueAt } from '../protocol/json.ts';
import { checkLayers } from './check-layers.ts';
import type { CheckOptions } from './check-values.ts';
import type { ConfigLayer } from './config-layer.ts';
import { mergeLayers, mergeValues } from './merge-values.ts';
import { decidingKey } from './permission-profiles.ts';

/** What holds when all layers are put together, under the names of the file, and who says so. */
export interface EffectiveValues {
  /** With keys that have no effect yet; without those that are at fault, and the one of two that another key overrules. */
  readonly values: JsonObject;
  /** The highest layer that sets the key or anything below it. */
  originOf(path: readonly string[]): ConfigLayer | undefined;
}

/** `layers` begin with the defaults. */
export function effectiveValues(layers: readonly ConfigLayer[], options: CheckOptions): EffectiveValues {
  const { defaults = [], given = [] } = Object.groupBy(layers, ({ name }) =>
    name === 'default' ? 'defaults' : 'given',
  );
  const all = [
    ...defaults.map((layer) => ({ layer, values: layer.values })),
    ...checkLayers(given, options).map(({ layer, values, unused }) => ({ layer, values: mergeValues(unused, values) })),
  ];
  const decider = all.map(({ values }) => decidingKey(values)).findLast((key) => key !== undefined);
  const counts = (key: string | undefined): boolean =>
    decider === undefined || decider === key || (key !== 'sandbox_mode' && key !== 'default_permissions');
  const merged = Object.entries(mergeLayers(all.map(({ values }) => values)));
  return {
    values: Object.fromEntries(merged.filter(([key]) => counts(key))),
    originOf: (path) =>
      counts(path[0]) ? all.findLast(({ values }) => valueAt(values, path) !== undefined)?.layer : undefined,
  };
}

/** Every value that is no table, with its path. An empty table counts as a value. */
export function leavesOf(
  values: JsonObject,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly value: Json }[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const at = [...path, key];
    return isJsonObject(value) && Object.keys(value).length > 0 ? leavesOf(value, at) : [{ path: at, value }];
  });
}
