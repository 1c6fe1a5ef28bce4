import type { JsonObject } from '../protocol/json.ts';
import { mergeValues } from './merge-values.ts';
import { withoutRivals } from './shell-filters.ts';

/** The values of all layers as one, later ones over earlier ones. */
export function mergeLayers(layers: readonly JsonObject[]): JsonObject {
  return layers
    .filter((values) => Object.keys(values).length > 0)
    .reduce((lower, upper) => mergeValues(withoutRivals(lower, upper), upper), {});
}
