import type { Fragment } from '../fragments/define.ts';
import type { Json, JsonObject } from '../protocol/json.ts';

/** A text for the model and the fact that it tells. */
export interface Told {
  readonly section: string;
  readonly fragment: Fragment;
  /** Absent when the fact is withdrawn. */
  readonly value?: Json;
}

/** What must be said before the next request, and the record of having said it. */
export interface Telling {
  readonly form: 'bundle' | 'change';
  readonly told: readonly Told[];
  /** Payload of the `world_state` line to write after the fragments; absent when nothing changed. */
  readonly record?: { readonly full: boolean; readonly state: JsonObject };
}
