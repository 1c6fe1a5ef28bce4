import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { applyPatch } from './merge-patch.ts';

/**
 * What the model was last told, by section id. `none`: nothing proves that it was told anything since history last
 * changed otherwise than by growing, so everything must be said again (I7); `why` says what took the proof away.
 */
export type Baseline =
  | { readonly kind: 'none'; readonly why: NoBaseline }
  | { readonly kind: 'known'; readonly state: JsonObject };

/** `start`: nothing was ever told. `unproven`: the record of it makes no sense. */
export type NoBaseline = 'start' | 'checkpoint' | 'unproven';

export const noBaseline: Baseline = { kind: 'none', why: 'start' };
export const clearedByCheckpoint: Baseline = { kind: 'none', why: 'checkpoint' };
const unproven: Baseline = { kind: 'none', why: 'unproven' };

/** The baseline after a `world_state` line. A patch without anything to patch proves nothing. */
export function foldWorldState(baseline: Baseline, payload: JsonObject): Baseline {
  const state = payload['state'];
  if (!isJsonObject(state)) return unproven;
  if (payload['full'] === true) return { kind: 'known', state };
  if (baseline.kind === 'none') return unproven;
  return { kind: 'known', state: applyPatch(baseline.state, state) as JsonObject };
}
