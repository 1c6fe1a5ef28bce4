import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { applyPatch } from './merge-patch.ts';

/**
 * What the model was last told, by section id. `none`: nothing proves that it was told anything since history last
 * changed otherwise than by growing, so everything must be said again (I7).
 */
export type Baseline = { readonly kind: 'none' } | { readonly kind: 'known'; readonly state: JsonObject };

export const noBaseline: Baseline = { kind: 'none' };

/** The baseline after a `world_state` line. A patch without anything to patch proves nothing. */
export function foldWorldState(baseline: Baseline, payload: JsonObject): Baseline {
  const state = payload['state'];
  if (!isJsonObject(state)) return noBaseline;
  if (payload['full'] === true) return { kind: 'known', state };
  if (baseline.kind === 'none') return noBaseline;
  return { kind: 'known', state: applyPatch(baseline.state, state) as JsonObject };
}
