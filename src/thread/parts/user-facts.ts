import type { TurnFacts } from '../../envelope/facts.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadParts } from './parts.ts';

/** Whether the surface of a thread puts questions to the user, and how long answers may hold. */
export function userFacts({ askUser }: Pick<ThreadParts, 'askUser'>): Pick<TurnFacts, 'canAsk' | 'answersOnce'> {
  // Anything but true is no promise that someone answers, a promise included.
  if (askUser === undefined || (askUser.isThere?.() ?? true) !== true) return {};
  return { canAsk: true, ...defined({ answersOnce: askUser.answersOnce }) };
}
