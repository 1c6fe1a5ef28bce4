import type { JsonObject } from '../protocol/json.ts';
import type { Identity } from './identity.ts';

/** What one turn asks for on top of the settings. */
export interface TurnModes {
  /** The answer must be JSON of this shape. */
  readonly outputSchema?: JsonObject;
  /** The program of OpenAI under which the turn is let work on security. */
  readonly cyberAccessProgram?: string;
}

/** How the model and the user work together. */
export interface Modes extends TurnModes {
  readonly collaboration: 'default';
}

export function resolveModes(asked: TurnModes, { identity }: { readonly identity: Identity }): Modes {
  const { outputSchema, cyberAccessProgram } = asked;
  // Other providers do not know such programs, and may refuse a request that names one.
  const known = cyberAccessProgram !== undefined && identity.provider === 'openai';
  return {
    collaboration: 'default',
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(known ? { cyberAccessProgram } : {}),
  };
}
