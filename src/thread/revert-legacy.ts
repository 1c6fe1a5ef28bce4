import type { OpenRefused, Owned, RolloutStore } from '../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import { pinChanges } from '../state/pins.ts';
import { reduce } from '../state/reduce.ts';
import { readPlaces } from './find-turn.ts';
import { foldThread } from './resume.ts';
import {
  firstTaken,
  nothingToUndo,
  type Refused,
  type RollbackTo,
  type RollbackUndone,
  type RolledBack,
  takenFrom,
  turnsSince,
} from './rollback-range.ts';

/** Rollbacks in files of the old form: by a marker, which everybody reads. */
export function markRolledBack(store: RolloutStore, id: ThreadId, to: RollbackTo): Promise<RolledBack | Refused> {
  return owning(store, id, async (owned) => {
    const places = await readPlaces(store, id);
    const first = firstTaken(id, places, to);
    if ('code' in first) return { kind: 'refused', ...first };
    const turns = takenFrom(places, first);
    const count = places.turns.filter((turn) => turn.counts && turns.includes(turn.id)).length;
    owned.append([{ type: lineType.event, payload: { type: 'thread_rolled_back', num_turns: count } }]);
    await owned.durable();
    return { kind: 'rolled-back', id, path: owned.path, turns };
  });
}

/** A marker cannot be taken back, so what it took away is said again; notes stay as they are now. */
export function repeatTakenBack(store: RolloutStore, id: ThreadId): Promise<RollbackUndone | Refused> {
  return owning(store, id, async (owned) => {
    const { takenBack, turns } = await readPlaces(store, id);
    const since = turns.filter(({ start }) => takenBack !== undefined && start > takenBack.end);
    const isBack = since.some((turn) => takenBack?.turns.includes(turn.id));
    if (takenBack === undefined || isBack) return nothingToUndo(id);
    if (since.length > 0) return turnsSince(id, since.length);
    const { state } = await foldThread(store, id);
    const { pins } = owned.append(await draftsBetween(store, id, takenBack)).reduce(reduce, state);
    owned.append(pinChanges(pins, state.pins));
    await owned.durable();
    return { kind: 'rollback-undone', id, path: owned.path, turns: takenBack.turns, replaced: [] };
  });
}

async function draftsBetween(
  store: RolloutStore,
  id: ThreadId,
  { start, end }: { readonly start: Ordinal; readonly end: Ordinal },
): Promise<readonly LineDraft[]> {
  const drafts: LineDraft[] = [];
  for await (const { type, payload, metadata } of store.read(id, { from: start, to: end })) {
    drafts.push({ type, payload, ...(metadata === undefined ? {} : { metadata }) });
  }
  return drafts;
}

async function owning<Result>(
  store: RolloutStore,
  id: ThreadId,
  run: (owned: Owned) => Promise<Result>,
): Promise<Result | OpenRefused> {
  const owned = await store.open(id);
  if (owned.kind === 'refused') return owned;
  try {
    return await run(owned);
  } finally {
    await owned.close();
  }
}
