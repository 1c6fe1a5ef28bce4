import { lookUpModel } from '../../src/core/envelope/model-record.ts';
import { historyEntries } from '../../src/core/history/history.ts';
import { type HistoryEntry, entryMetadata } from '../../src/core/history/entry.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type LineDraft, lineType } from '../../src/protocol/line.ts';
import { carriedState } from '../../src/core/state/checkpoints/compacted-line.ts';
import { instructionsOf, type ThreadState } from '../../src/core/state/thread-state.ts';
import { worldModels } from './world-models.ts';

/**
 * A rewrite of history as a checkpoint writes it: the entries that stay, no proof of what was told, and the
 * instructions of the next model. Chosen instructions stay.
 */
export function rewriteFor(model: string, state: ThreadState, stays: (entry: HistoryEntry) => boolean): LineDraft {
  const kept = historyEntries(state.history).filter(stays);
  const base = instructionsOf(state);
  const own = lookUpModel(worldModels, model).instructions;
  const instructions =
    base?.provenance.type === 'custom' ? base : { text: own, provenance: { type: 'model' as const, model } };
  return {
    type: lineType.compacted,
    payload: {
      message: '',
      replacement_history: kept.map(({ item }) => item),
      replacement_history_metadata: kept.map(({ origin, turn }) =>
        entryMetadata({ origin, turn: turn ?? ('' as TurnId) }),
      ),
      capstan: { ...carriedState(state), instructions: instructions as unknown as JsonObject },
    },
  };
}

export function isUsers({ origin }: HistoryEntry): boolean {
  return origin.family === 'user';
}
