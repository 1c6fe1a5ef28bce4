import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { withToggles } from './feature-gates.ts';
import { withoutRivals } from './shell-filters.ts';

/** The upper values over the lower ones: tables merge key by key, everything else is replaced as a whole. */
export function mergeValues(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = new Map<string, Json | undefined>(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(value) && isJsonObject(below) ? mergeValues(below, value) : value);
  }
  // Unlike assignment, this makes an own member even of a key such as `__proto__`.
  return Object.fromEntries(merged);
}

/** The values of all layers as one, later ones over earlier ones. */
export function mergeLayers(layers: readonly JsonObject[]): JsonObject {
  return layers
    .filter((values) => Object.keys(values).length > 0)
    .reduce((lower, upper) => mergeValues(...withToggles(withoutRivals(lower, upper), upper)), {});
}
