import type { TurnId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import { readTurnItems } from '../../state/turn-items.ts';

/** What the user wrote to begin a turn and while it ran: a thread can go back to before it. */
export interface ThreadPrompt {
  readonly turnId: TurnId;
  /** As the user wrote it; messages that steered the turn stand below the first. */
  readonly words: string;
  /** Pictures that came with it. */
  readonly pictures: number;
  /** Milliseconds since the Unix epoch. Absent: the record does not say. */
  readonly startedAt?: number;
}

/** Of the turns that stand, oldest first. Turns in which the user wrote nothing are left out. */
export function promptsIn(lines: Iterable<Line>): readonly ThreadPrompt[] {
  return readTurnItems(lines).turns.flatMap(({ id, isTakenBack, items, startedAt }) => {
    if (id === undefined || isTakenBack) return [];
    const said = items.flatMap((item) => (item.kind === 'user' && item.author === undefined ? [item] : []));
    const words = said.flatMap(({ texts }) => texts).join('\n\n');
    const pictures = said.reduce((sum, item) => sum + item.pictures.length, 0);
    if (words === '' && pictures === 0) return [];
    const at = Date.parse(startedAt);
    return [{ turnId: id, words, pictures, ...(Number.isNaN(at) ? {} : { startedAt: at }) }];
  });
}
