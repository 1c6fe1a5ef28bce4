import type { JsonObject } from '../protocol/json.ts';
import { withToggles } from './feature-gates.ts';
import { mergeValues } from './merge-values.ts';
import { withoutRivals } from './shell-filters.ts';

/** The values of all layers as one, later ones over earlier ones. */
export function mergeLayers(layers: readonly JsonObject[]): JsonObject {
  return layers
    .filter((values) => Object.keys(values).length > 0)
    .reduce((lower, upper) => mergeValues(...withToggles(withoutRivals(lower, upper), upper)), {});
}
