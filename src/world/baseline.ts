import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { applyPatch } from './merge-patch.ts';

/**
 * What the model was last told, by section id. `none`: nothing proves that it was told anything since history last
 * changed otherwise than by growing, so everything must be said again (I7); `why` says what took the proof away.
 */
export type Baseline =
  | { readonly kind: 'none'; readonly why: NoBaseline; readonly problems?: ToldProblems }
  | { readonly kind: 'known'; readonly state: JsonObject };

/**
 * Why MCP servers do not run, by name, as the model last read. Losing the proof does not make them run: the model reads it again
 * until a process has seen the server.
 */
export type ToldProblems = Readonly<Record<string, string>>;

/** `start`: nothing was ever told. `unproven`: the record of it makes no sense. */
export type NoBaseline = 'start' | 'checkpoint' | 'unproven';

export const noBaseline: Baseline = { kind: 'none', why: 'start' };
const unproven: Baseline = { kind: 'none', why: 'unproven' };

export function clearedByCheckpoint(problems: ToldProblems): Baseline {
  return { kind: 'none', why: 'checkpoint', ...(Object.keys(problems).length > 0 && { problems }) };
}

/** The baseline after a `world_state` line. A patch without anything to patch proves nothing. */
export function foldWorldState(baseline: Baseline, payload: JsonObject): Baseline {
  const state = payload['state'];
  if (!isJsonObject(state)) return unproven;
  if (payload['full'] === true) return { kind: 'known', state };
  if (baseline.kind === 'none') return unproven;
  return { kind: 'known', state: applyPatch(baseline.state, state) as JsonObject };
}
