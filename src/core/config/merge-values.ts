import { isJsonObject, type Json, type JsonObject, objectAt } from '../../protocol/json.ts';
import { mergeValues } from '../policy/profiles/tables/inherited-table.ts';
import { type ConfigLayer, type ConfigProblem, configKeyProblem } from './layer-order.ts';
import { withMergeableFeatures } from './features.ts';

/** The path has at least one part, so the outermost value is an object. */
export const wrapValueInKeys = (path: readonly string[], value: Json): JsonObject =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value) as JsonObject;

export function mergeConfigLayers(layers: readonly JsonObject[]): JsonObject {
  return layers
    .filter((values) => Object.keys(values).length > 0)
    .reduce((lower, upper) => mergeValues(...withMergeableFeatures(withoutRivalFilters(lower, upper), upper)), {});
}

const table = 'shell_environment_policy';
const lists = ['exclude', 'include_only'];

/** `filters` and the two lists are alternatives; one layer may use only one of them. */
export function variableFilterProblems(layer: ConfigLayer): readonly ConfigProblem[] {
  const policy = objectAt(layer.values, table) ?? {};
  const filters = objectAt(policy, 'filters');
  if (filters === undefined) return [];
  const report = (path: readonly string[], what: string, next: string): ConfigProblem =>
    configKeyProblem(layer, [table, 'filters', ...path], { code: 'config-wrong-value', severity: 'error', what, next });
  const rivals = lists.filter((list) => policy[list] !== undefined);
  const seen = new Set<string>();
  const twice = Object.keys(filters).filter((pattern) => {
    const before = seen.size;
    return seen.add(folded(pattern)).size === before;
  });
  return [
    ...rivals.map((list) => report([], `cannot be combined with ${list}`, `Move the patterns of ${list} to filters.`)),
    ...twice.map((pattern) => report([pattern], 'is set twice (case does not matter)', 'Remove one of them.')),
  ];
}

/** Drops lower filters that the upper layer sets in the other form, or as the same pattern in other capitals. */
function withoutRivalFilters(lower: JsonObject, upper: JsonObject): JsonObject {
  const below = objectAt(lower, table);
  const above = objectAt(upper, table);
  if (below === undefined || above === undefined) return lower;
  const names = new Set(Object.keys(objectAt(above, 'filters') ?? {}).map(folded));
  const kept = Object.entries(below).flatMap(([key, value]) => {
    if (lists.includes(key) && above['filters'] !== undefined) return [];
    if (key !== 'filters' || !isJsonObject(value)) return [[key, value]];
    if (lists.some((list) => above[list] !== undefined)) return [];
    return [[key, Object.fromEntries(Object.entries(value).filter(([pattern]) => !names.has(folded(pattern))))]];
  });
  return { ...lower, [table]: Object.fromEntries(kept) as JsonObject };
}

export function variableFilterLists(filters: Readonly<Record<string, 'include' | 'exclude'>>) {
  const patterns = (action: string): readonly string[] =>
    Object.keys(filters).filter((pattern) => filters[pattern] === action);
  return { exclude: patterns('exclude'), includeOnly: patterns('include') };
}

const folded = (pattern: string): string => pattern.toUpperCase().toLowerCase();
