import type { Conversation } from './conversation.ts';
import { distinct } from './distinct.ts';
import type { Played, Sent } from './play.ts';

/** A conversation that a summariser is asked about. */
export interface Asked {
  readonly conversation: Conversation;
  readonly played: Played;
  /** The messages that a good summariser names, and the one that a wrong one does. */
  readonly active: readonly Sent[];
  readonly wrong: Sent | undefined;
  /** The messages whose task is over. */
  readonly over: readonly Sent[];
}

export function askedAbout(conversation: Conversation, played: Played): Asked {
  const rows = distinct(played.sent);
  const find = (words: string): Sent => {
    const found = rows.findLast(({ text }) => (words === 'picture' ? text === '' : text.startsWith(words)));
    if (found === undefined) throw new Error(`${conversation.name}: no message begins with ${words}`);
    return found;
  };
  const active = conversation.active.map(find);
  const wrong =
    conversation.wrong === undefined
      ? rows.find((row) => row.text.trim() !== '' && !active.includes(row))
      : find(conversation.wrong);
  return { conversation, played, active, wrong, over: (conversation.over ?? []).map(find) };
}
