import type { Outcome } from '../protocol/outcome.ts';
import type { SubmittedWords } from './parts/inbox.ts';
import type { TurnResult } from './turn/settle.ts';

/** What is asked of a thread after its end. */
export const closed: Outcome = {
  code: 'thread-closed',
  message: 'The thread is closed.',
  next: 'Nothing was changed. Open the thread again and repeat it there.',
};

/** How a turn ends whose thread was closed before it began. */
export function closedBefore({ id }: SubmittedWords): TurnResult {
  const next =
    id === undefined
      ? 'Open the thread again and send the message there.'
      : 'Its message is kept: the next turn of the thread takes it in.';
  const message = 'The thread was closed before the turn began.';
  return { kind: 'failed', outcome: { ...closed, message, next } };
}
