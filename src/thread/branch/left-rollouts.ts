import type { CurrentRollout, RolloutPlace, RolloutStore } from '../../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';

/** A rollout that a thread left by a rollback or an undo. */
export interface LeftRollout {
  readonly rolloutId: string;
  /** The timestamp of its last line: one who knows a later line was not there. */
  readonly until: string;
  /** The last place that it has in common with the thread's current rollout. */
  readonly common: number;
}

/** All of them stand in the first line of a file. Of more, the oldest are joined. */
const mostLeft = 50;

/** Oldest first. Versions that did not note them leave none. */
export function leftRollouts(meta: JsonObject): readonly LeftRollout[] {
  const noted = arrayAt(objectAt(meta, 'capstan'), 'left') ?? [];
  return noted.filter(isJsonObject).flatMap((note) => {
    const [rolloutId, until] = [stringAt(note, 'rollout_id'), stringAt(note, 'until')];
    const common = numberAt(note, 'common');
    return rolloutId === undefined || until === undefined || common === undefined ? [] : [{ rolloutId, until, common }];
  });
}

/** Where the rollout with this first line and one that the thread left begin to differ. Undefined: nothing says it. */
export function firstOwn(meta: JsonObject, left: string): Ordinal | undefined {
  const shared = sharedWith(leftRollouts(meta), left);
  return shared < 0 ? undefined : ((shared + 1) as Ordinal);
}

/**
 * What the first line of a new rollout says, which takes the place of the current one and begins with what stands before
 * a place. Two that have a place in common with a third have at least the smaller one in common with each other; so no
 * entry says more than what is shared.
 */
export async function leftNote(
  store: Pick<RolloutStore, 'readBack'>,
  id: ThreadId,
  { rolloutId, meta }: Pick<CurrentRollout, 'rolloutId' | 'meta'>,
  to: RolloutPlace,
): Promise<JsonObject> {
  const before = leftRollouts(meta);
  const isWhole = before.length > 0 || rolloutId === id;
  const shared = to.rolloutId === rolloutId ? to.end - 1 : sharedWith(before, to.rolloutId);
  const reached = Math.min(shared, to.end - 1);
  const until = await lastTimestamp(store, id);
  const all: readonly LeftRollout[] = [
    ...before.map((left) => {
      const common = left.rolloutId === to.rolloutId ? to.end - 1 : Math.min(left.common, reached);
      return { ...left, common };
    }),
    // Of rollouts that an older version left, nothing says what is shared with them.
    { rolloutId, until, common: isWhole ? reached : -1 },
  ];
  return { left: bounded(all).map(({ rolloutId: rollout_id, ...rest }) => ({ rollout_id, ...rest })) };
}

function sharedWith(before: readonly LeftRollout[], rolloutId: string): number {
  return before.find((left) => left.rolloutId === rolloutId)?.common ?? -1;
}

async function lastTimestamp(store: Pick<RolloutStore, 'readBack'>, id: ThreadId): Promise<string> {
  for await (const { timestamp } of store.readBack(id)) return timestamp;
  return '';
}

function bounded(all: readonly LeftRollout[]): readonly LeftRollout[] {
  const [first, second, ...rest] = all;
  if (all.length <= mostLeft || first === undefined || second === undefined) return all;
  return bounded([{ ...second, common: Math.min(first.common, second.common) }, ...rest]);
}
