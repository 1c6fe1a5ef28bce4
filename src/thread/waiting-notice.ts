import { userActionFragment } from '../fragments/events/user-action.ts';
import { isUserShell } from '../history/user-shell-item.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { isMessage, type Item, messageText } from '../protocol/item.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ThreadState } from '../state/thread-state.ts';
import { isAboutFiles, waitingWords } from '../state/waiting.ts';

const mostShown = 5;

/** What the user should know about messages that a program accepted and did not get to, if there are any. */
export function waitingNotice(
  id: ThreadId,
  { waiting: all }: Pick<ThreadState, 'waiting'>,
): Outcome<'messages-waiting'> | undefined {
  // Users know what happened to files and which commands they typed, and what came of a review is not theirs.
  const waiting = all.filter(
    (message) => !isAboutFiles(message) && (message.kind !== 'item' || !isKnown(message.item)),
  );
  if (waiting.length === 0) return undefined;
  const shown = waiting.slice(0, mostShown).map((message) => `“${waitingWords(message, 60)}”`);
  const more = waiting.length > mostShown ? `; and ${waiting.length - mostShown} more` : '';
  const words = `${shown.join('; ')}${more}`;
  return {
    code: 'messages-waiting',
    ...(waiting.length === 1
      ? {
          message: `Thread ${id} has a message that Capstan accepted and has not sent yet: ${words}.`,
          next: 'Capstan sends it with the next turn, before your new message.',
        }
      : {
          message: `Thread ${id} has ${waiting.length} messages that Capstan accepted and has not sent yet: ${words}.`,
          next: 'Capstan sends them in this order with the next turn, before your new message.',
        }),
  };
}

function isKnown(item: Item): boolean {
  return isMessage(item) && (isUserShell(item) || userActionFragment.matches(messageText(item)));
}
