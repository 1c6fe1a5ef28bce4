import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { turnList, type TurnSummary } from '../../state/turn-list.ts';
import { type ThreadPlaces, turnPlaces } from '../../state/turn-places.ts';
import { concernsTurns } from '../../state/turns.ts';

export function readPlaces(store: RolloutStore, id: ThreadId): Promise<ThreadPlaces> {
  return turnPlaces(store.read(id, { from: 0 as Ordinal }));
}

/** The turns as lists show them. Lines of the old form have no ordinals, so that each of them has to be counted. */
export async function readTurnList(store: RolloutStore, id: ThreadId): Promise<readonly TurnSummary[]> {
  const current = await store.current(id);
  const isCounted = current.kind === 'current' && current.mode === 'legacy';
  return turnList(store.read(id, { from: 0 as Ordinal, ...(isCounted ? {} : { wanted: concernsTurns }) }));
}
