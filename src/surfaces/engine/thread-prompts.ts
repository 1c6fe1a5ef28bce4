import type { TurnId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import { readTurnItems } from '../../state/turn-items.ts';

/** One message, as the user wrote it. */
export interface WrittenMessage {
  readonly words: string;
  /** As they were sent, in the order of their numbers: data URLs. */
  readonly pictures: readonly string[];
}

/** What the user wrote to begin a turn and while it ran: a thread can go back to before it. */
export interface ThreadPrompt {
  readonly turnId: TurnId;
  /** All that the user wrote; messages that steered the turn stand below the first. */
  readonly words: string;
  readonly messages: readonly WrittenMessage[];
  /** Milliseconds since the Unix epoch. Absent: the record does not say. */
  readonly startedAt?: number;
}

/** Of the turns that stand, oldest first. Turns in which the user wrote nothing are left out. */
export function promptsIn(lines: Iterable<Line>): readonly ThreadPrompt[] {
  return readTurnItems(lines).turns.flatMap(({ id, isTakenBack, items, startedAt }) => {
    if (id === undefined || isTakenBack) return [];
    const said = items.flatMap((item) => (item.kind === 'user' && item.author === undefined ? [item] : []));
    const messages = said
      .map(({ texts, pictures }) => ({ words: texts.join('\n\n'), pictures }))
      .filter(({ words, pictures }) => words !== '' || pictures.length > 0);
    if (messages.length === 0) return [];
    const words = messages.map((message) => message.words).join('\n\n');
    const at = Date.parse(startedAt);
    return [{ turnId: id, words, messages, ...(Number.isNaN(at) ? {} : { startedAt: at }) }];
  });
}
