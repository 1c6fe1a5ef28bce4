import type { JsonObject } from '../protocol/json.ts';

/** How the model and the user work together. */
export interface Modes {
  readonly collaboration: 'default';
  /** The answer must be JSON of this shape. */
  readonly outputSchema?: JsonObject;
}

export function resolveModes(outputSchema: JsonObject | undefined): Modes {
  return { collaboration: 'default', ...(outputSchema === undefined ? {} : { outputSchema }) };
}
