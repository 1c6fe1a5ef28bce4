import type { TurnFacts } from '../../envelope/facts.ts';
import type { ThreadParts } from './parts.ts';

/** Whether the surface of a thread puts questions to the user. */
export function userFacts({ askUser }: Pick<ThreadParts, 'askUser'>): Pick<TurnFacts, 'canAsk'> {
  return askUser === undefined || askUser.isThere?.() === false ? {} : { canAsk: true };
}
