import type { RolloutStore } from '../ports/rollout-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { turnList, type TurnSummary } from '../state/turn-list.ts';
import { type ThreadPlaces, turnPlaces } from '../state/turn-places.ts';
import { concernsTurns } from '../state/turns.ts';

export function readPlaces(store: RolloutStore, id: ThreadId): Promise<ThreadPlaces> {
  return turnPlaces(store.read(id, { from: 0 as Ordinal }));
}

/** The turns as lists show them. Lines of the old form have no ordinals, so that each of them has to be counted. */
export async function readTurnList(store: RolloutStore, id: ThreadId): Promise<readonly TurnSummary[]> {
  const current = await store.current(id);
  const isCounted = current.kind === 'current' && current.mode === 'legacy';
  return turnList(store.read(id, { from: 0 as Ordinal, ...(isCounted ? {} : { wanted: concernsTurns }) }));
}

/** The turn that a caller means: by its id, the beginning of it, or its number, counted from 1. */
export function findTurn<Turn extends { readonly id: TurnId }>(
  thread: ThreadId,
  turns: readonly Turn[],
  name: string,
): Turn | Outcome<'turn-unknown' | 'turn-ambiguous'> {
  const exact = turns.find(({ id }) => id === name) ?? (/^\d{1,6}$/.test(name) ? turns[Number(name) - 1] : undefined);
  if (exact !== undefined) return exact;
  const begun = name.length < 4 ? [] : turns.filter(({ id }) => id.startsWith(name));
  if (begun.length === 1) return begun[0]!;
  const next = `See \`capstan threads show ${thread}\` for its turns.`;
  if (begun.length > 1) {
    return { code: 'turn-ambiguous', message: `${begun.length} turns of thread ${thread} begin with ${name}.`, next };
  }
  const count = turns.length === 1 ? 'one turn' : `${turns.length} turns`;
  const message = `Thread ${thread} has no turn ${JSON.stringify(name)}: it has ${count}, without those that were taken back.`;
  return { code: 'turn-unknown', message, next };
}
