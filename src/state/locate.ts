import { objectAt } from '../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../protocol/line.ts';
import { isSelfContained } from './compacted.ts';
import { holdsUsersWords } from './reduce.ts';

/** Where a fold may begin: at a line that replaces everything before it, or at the start. */
export type FoldStart = { readonly kind: 'start' } | { readonly kind: 'checkpoint'; readonly line: Line };

/**
 * The search for the newest checkpoint that stands. Lines are shown to it newest first, and only those that it wants:
 * as long as no rollback marker was seen, that is next to none.
 */
export interface Search {
  wanted(kind: LineKind): boolean;
  run(linesBackwards: AsyncIterable<Line>): Promise<FoldStart>;
}

/**
 * Whether a checkpoint stands is decided before it is used. A rollback marker takes back turns with a user's words, so
 * the turns between marker and checkpoint are counted off; only if the marker reaches past the checkpoint is an older
 * one looked for.
 */
export function searchStart(): Search {
  /** Turns that markers took back and that were not met yet. */
  let owed = 0;
  /** Messages of a user since the last line that opens or closes a turn: of one turn, or each for itself. */
  let words = 0;
  let marked = false;
  const meet = (turns: number): void => {
    owed = Math.max(0, owed - turns);
    words = 0;
  };
  return {
    wanted({ type, payloadType }) {
      if (type === lineType.compacted) return true;
      if (type === lineType.event)
        return payloadType === undefined || (marked ? boundary.has(payloadType) : payloadType === rolledBack);
      return marked && type === lineType.responseItem;
    },
    async run(linesBackwards) {
      for await (const line of linesBackwards) {
        const { payload } = line;
        if (line.type === lineType.compacted) {
          const inTurn = objectAt(objectAt(payload, 'capstan') ?? {}, 'open_turn') !== undefined;
          // In a turn that goes on, words belong to a turn that began before the checkpoint.
          const left = inTurn ? owed : Math.max(0, owed - words);
          if (left === 0 && line.ordinal !== undefined && isSelfContained(payload)) return { kind: 'checkpoint', line };
        } else if (line.type === lineType.responseItem) {
          if (holdsUsersWords(line)) words += 1;
        } else if (payload['type'] === rolledBack) {
          const turns = payload['num_turns'];
          if (typeof turns !== 'number' || turns < 1) continue;
          meet(words);
          marked = true;
          owed += Number.isInteger(turns) ? turns : Number.POSITIVE_INFINITY;
        } else if (boundary.has(String(payload['type']))) {
          meet(starts.has(String(payload['type'])) ? Math.min(1, words) : words);
        }
      }
      return { kind: 'start' };
    },
  };
}

const rolledBack = 'thread_rolled_back';
const starts: ReadonlySet<string> = new Set(['task_started', 'turn_started']);
/** Events after which a turn is open, or none. */
const boundary: ReadonlySet<string> = new Set([
  ...starts,
  'task_complete',
  'turn_complete',
  'turn_aborted',
  rolledBack,
]);
