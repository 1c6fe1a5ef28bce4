import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadStory } from '../../context/thread-story.ts';
import { plural } from '../../wording/number-words.ts';

/** The turn that stands behind a command. Undefined: none does. */
export function turnAsked(rest: string, { turns }: Pick<ThreadStory, 'turns'>): number | undefined | Outcome {
  if (rest === '') return undefined;
  const number = /^\d{1,9}$/.test(rest) ? Number(rest) : 0;
  if (number >= 1 && number <= turns.length) return number;
  return {
    code: 'no-turn',
    message: `The conversation has ${plural(turns.length, 'turn')}, and no turn ${JSON.stringify(rest.slice(0, 40))}.`,
    next: `Name one from 1 to ${turns.length}.`,
  };
}
