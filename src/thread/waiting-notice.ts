import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ThreadState } from '../state/thread-state.ts';
import { waitingWords } from '../state/waiting.ts';

const mostShown = 5;

/** What the user should know about messages that a program accepted and did not get to, if there are any. */
export function waitingNotice(
  id: ThreadId,
  { waiting }: Pick<ThreadState, 'waiting'>,
): Outcome<'messages-waiting'> | undefined {
  if (waiting.length === 0) return undefined;
  const shown = waiting.slice(0, mostShown).map((message) => `“${waitingWords(message, 60)}”`);
  const more = waiting.length > mostShown ? `; and ${waiting.length - mostShown} more` : '';
  const words = `${shown.join('; ')}${more}`;
  return {
    code: 'messages-waiting',
    ...(waiting.length === 1
      ? {
          message: `A message to thread ${id} was accepted, and its turn did not come to it: ${words}.`,
          next: 'It is part of the next turn, before the message of that turn.',
        }
      : {
          message: `${waiting.length} messages to thread ${id} were accepted, and no turn came to them: ${words}.`,
          next: 'They are part of the next turn, in this order, before the message of that turn.',
        }),
  };
}
