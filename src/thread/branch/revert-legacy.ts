import type { OpenRefused, Owned, RolloutStore } from '../../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { type LineDraft, lineType } from '../../protocol/line.ts';
import { pinChanges } from '../../state/pins.ts';
import { reduce } from '../../state/reduce.ts';
import { repeated } from '../../state/sealed-lines.ts';
import type { ThreadPlaces, TurnPlace } from '../../state/turn-places.ts';
import type { TakenBack } from '../../state/turns.ts';
import { readPlaces } from './read-turns.ts';
import { costOf, costStays } from '../../state/turn-drafts.ts';
import { foldThread } from './resume.ts';
import {
  firstTaken,
  nothingToUndo,
  type Refused,
  type RollbackTo,
  type RollbackUndone,
  type RolledBack,
  turnsSince,
} from './rollback-range.ts';

/** Rollbacks in files of the old form: by a marker, which every program reads. */
export function markRolledBack(store: RolloutStore, id: ThreadId, to: RollbackTo): Promise<RolledBack | Refused> {
  return owning(store, id, async (owned) => {
    const places = await readPlaces(store, id);
    const first = firstTaken(id, places, to);
    if ('code' in first) return { kind: 'refused', ...first };
    const taken = places.turns.slice(places.turns.indexOf(first));
    owned.append(markerFor(taken));
    await owned.durable();
    return { kind: 'rolled-back', id, location: owned.location, turns: taken.map((turn) => turn.id) };
  });
}

/**
 * A marker cannot be taken back, so what it took away is said again, after a marker for what came since; notes stay as
 * they are now.
 */
export function repeatTakenBack(
  store: RolloutStore,
  id: ThreadId,
  { force }: { readonly force: boolean },
): Promise<RollbackUndone | Refused> {
  return owning(store, id, async (owned) => {
    const places = await readPlaces(store, id);
    const found = await newestNotBack(store, id, places);
    if (found === undefined) return nothingToUndo(id);
    const { takenBack, drafts, since } = found;
    if (since.length > 0 && !force) return turnsSince(id, since.length);
    const { state } = await foldThread(store, id);
    const { pins, usage } = owned.append([...markerFor(since), ...drafts]).reduce(reduce, state);
    owned.append([...pinChanges(pins, state.pins), ...costStays(costOf(usage), state.usage)]);
    await owned.durable();
    const replaced = since.map((turn) => turn.id);
    return { kind: 'rollback-undone', id, location: owned.location, turns: takenBack.turns, replaced };
  });
}

function markerFor(turns: readonly TurnPlace[]): readonly LineDraft[] {
  const count = turns.filter(({ counts }) => counts).length;
  const payload = { type: 'thread_rolled_back', num_turns: count };
  return count === 0 ? [] : [{ type: lineType.event, payload }];
}

interface NotBack {
  readonly takenBack: TakenBack;
  readonly drafts: readonly LineDraft[];
  /** Turns that have begun since. */
  readonly since: readonly TurnPlace[];
}

/** Those that an undo has brought back already are passed over, so that it hides none before it. */
async function newestNotBack(store: RolloutStore, id: ThreadId, places: ThreadPlaces): Promise<NotBack | undefined> {
  const later: Ordinal[] = [];
  for (const takenBack of places.takenBack.toReversed()) {
    later.push(takenBack.end);
    const since = places.turns.filter(({ start }) => start > takenBack.end);
    if (since.some((turn) => takenBack.turns.includes(turn.id))) continue;
    const drafts = await draftsBetween(store, id, takenBack);
    if (!(await isSaidAgain(store, id, later, drafts))) return { takenBack, drafts, since };
  }
  return undefined;
}

/** Turns without names have others when they are said again: there the lines behind one of the markers decide. */
async function isSaidAgain(
  store: RolloutStore,
  id: ThreadId,
  markers: readonly Ordinal[],
  drafts: readonly LineDraft[],
): Promise<boolean> {
  const said = JSON.stringify(drafts);
  for (const marker of markers) {
    const from = (marker + 1) as Ordinal;
    const again = await draftsBetween(store, id, { start: from, end: (from + drafts.length) as Ordinal });
    if (JSON.stringify(again) === said) return true;
  }
  return false;
}

/** What a compaction that came to nothing has cost is counted already: it is not said again. */
async function draftsBetween(
  store: RolloutStore,
  id: ThreadId,
  { start, end }: { readonly start: Ordinal; readonly end: Ordinal },
): Promise<readonly LineDraft[]> {
  const drafts: LineDraft[] = [];
  for await (const line of store.read(id, { from: start, to: end })) {
    if (line.type !== lineType.compaction) drafts.push(repeated(line));
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
