import type { TailSearch } from '../../../ports/thread-store.ts';
import { objectAt, stringAt } from '../../../protocol/json.ts';
import { lineType } from '../../../protocol/line.ts';
import { hasOpaqueItems } from './opaque-checkpoint.ts';
import { isSelfContained } from './compacted-line.ts';
import { holdsUsersWords } from '../reduce.ts';
import { isSameTurnName, readTurnEvent, turnEventKind } from '../drafts/turn-lines.ts';

/**
 * Finds the newest current checkpoint, where a fold may begin; turns that later rollback markers take back do not
 * count. `behind`: does not stop at an opaque checkpoint, so that the history behind it is read.
 */
export function newestCheckpointSearch({ behind }: { readonly behind: boolean } = { behind: false }): TailSearch {
  let isOpaqueAllowed = !behind;
  /** Number of turns that rollback markers took back and that the search has not reached yet. */
  let owed = 0;
  let marked = false;
  let met: Met = { words: 0, closings: [] };
  const meet = (turns: number): void => {
    owed = Math.max(0, owed - turns);
    met = { words: 0, closings: [] };
  };
  return {
    wanted({ type, payloadType }) {
      if (type === lineType.compacted || type === lineType.reopened) return true;
      if (type !== lineType.event) return marked && type === lineType.responseItem;
      const kind = turnEventKind(payloadType);
      return payloadType === undefined || (marked ? kind !== undefined : kind === 'rollback');
    },
    beginsAt(line) {
      const { payload } = line;
      if (line.type === lineType.reopened) {
        isOpaqueAllowed = false;
        return false;
      }
      if (line.type === lineType.compacted) {
        if (!isOpaqueAllowed && hasOpaqueItems(payload)) return false;
        const open = objectAt(objectAt(payload, 'capstan'), 'open_turn');
        // Words sent into a running turn belong to a turn that began before the checkpoint.
        const { outside } = wordsIn(met, open === undefined ? undefined : (stringAt(open, 'id') ?? ''));
        return owed <= outside && line.ordinal !== undefined && isSelfContained(payload);
      }
      if (line.type === lineType.responseItem) {
        if (holdsUsersWords(line)) met = { ...met, words: met.words + 1 };
        return false;
      }
      const event = readTurnEvent(payload);
      if (event?.kind === 'rollback') {
        meet(wordsIn(met, undefined).outside);
        marked = true;
        owed += event.count;
      } else if (event?.kind === 'start') {
        const { inside, outside } = wordsIn(met, event.name);
        meet(outside + Math.min(1, inside));
      } else if (event?.kind === 'end') {
        met = { words: 0, closings: [...met.closings, { words: met.words, id: event.name }] };
      }
      return false;
    },
  };
}

/** A user's messages, newest first, divided by lines that end a turn. */
type Met = { readonly words: number; readonly closings: readonly { readonly id: string; readonly words: number }[] };

function wordsIn({ words, closings }: Met, turn: string | undefined): { inside: number; outside: number } {
  const sum = (some: Met['closings']): number => some.reduce((all, closing) => all + closing.words, 0);
  if (turn === undefined) return { inside: 0, outside: words + sum(closings) };
  const end = closings.findLastIndex(({ id }) => isSameTurnName(id, turn));
  return { inside: words + sum(closings.slice(end + 1)), outside: sum(closings.slice(0, end + 1)) };
}
