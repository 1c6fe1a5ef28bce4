import { defined } from '../../../base/objects.ts';
import { costOf, type ThreadCost } from '../../../core/state/drafts/turn-lines.ts';
import { readUsage, usageFields } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import { type Pin, readPins } from '../../../core/state/fold/pinned-notes.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import type { ThreadPlaces } from '../../../core/state/turns/turn-list.ts';
import type { CurrentRollout, RolloutPlace, RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../../protocol/json.ts';

/**
 * How the thread came from what it left. By a rollback, it has no turn that the left one lacks; by an undo, it has all
 * turns of the left one; after an exchange, each may have turns that the other lacks.
 */
type LeftBy = 'rollback' | 'undo' | 'exchange';

/** What a revert left, to which an undo goes back. */
export interface RollbackNote {
  readonly place: RolloutPlace;
  readonly leftBy: LeftBy;
  /** How many turns it had. */
  readonly turns: number;
  /** How many turns the thread had after that. */
  readonly kept: number;
  /** Those of the rollout that was left, at its end. */
  readonly pins: readonly Pin[];
  /** The same of what it had cost. Older versions did not note it. */
  readonly usage?: ThreadCost;
}

/** All that can be undone one after the other stand in the first line of a file, each with the pinned notes of then. */
const mostInARow = 10;

/** As a file says it. Older versions do not say whether an undo was an exchange: then it may have been one. */
const marks: Readonly<Record<LeftBy, JsonObject>> = {
  rollback: {},
  undo: { undo: true, exchange: false },
  exchange: { undo: true, exchange: true },
};

/** What the first line of the new rollout says about the one that it takes the place of, and how many turns it began with. */
export function noteOf(
  {
    current,
    places,
    now,
  }: { readonly current: CurrentRollout; readonly places: ThreadPlaces; readonly now: ThreadState },
  kept: number,
  leftBy: LeftBy,
): JsonObject {
  const [{ pins, usage }, { end, turns }] = [now, places];
  const { total, last } = costOf(usage);
  const cost = { usage: { total: usageFields(total), last: usageFields(last) } };
  const notes = pins.length === 0 ? {} : { pins: pins.map(({ id, text }) => ({ id, text })) };
  const place = { rollout_id: current.rolloutId, end_ordinal_exclusive: end };
  return { ...place, turns: turns.length, kept, ...cost, ...notes, ...marks[leftBy] };
}

export function readNote(note: JsonObject): RollbackNote | undefined {
  const [rolloutId, end] = [stringAt(note, 'rollout_id'), numberAt(note, 'end_ordinal_exclusive')];
  const [turns, kept] = [numberAt(note, 'turns'), numberAt(note, 'kept')];
  if (rolloutId === undefined || end === undefined || turns === undefined || kept === undefined) return undefined;
  const counted = objectAt(note, 'usage');
  const usage = counted && { total: readUsage(counted['total']), last: readUsage(counted['last']) };
  // Some older versions mark no undo; only after one does a thread have more turns than what it left.
  const isUndo = note['undo'] === true || kept > turns;
  const leftBy = !isUndo ? 'rollback' : note['exchange'] === false ? 'undo' : 'exchange';
  const place = { rolloutId, end: end as Ordinal };
  return { place, leftBy, turns, kept, pins: readPins(note), ...defined({ usage }) };
}

/** What undos go back to, the next one first. */
export function notesIn(meta: JsonObject): readonly JsonObject[] {
  const notes: JsonObject[] = [];
  let next = objectAt(objectAt(meta, 'capstan'), 'rollback');
  for (; next !== undefined && notes.length < mostInARow; next = objectAt(next, 'earlier')) {
    const { earlier: _earlier, ...note } = next;
    notes.push(note);
  }
  return notes;
}

/** The same as one value: each holds the one after it. */
export function nested([first = {}, ...rest]: readonly JsonObject[]): JsonObject {
  return rest.length === 0 ? first : { ...first, earlier: nested(rest) };
}

/** What an undo left has no turn of its own, so that a rollback after it need not keep it in reach. */
export function notesAfterRollback(notes: readonly JsonObject[], left: JsonObject): readonly JsonObject[] {
  const [next, ...rest] = notes;
  const isSpare = next !== undefined && readNote(next)?.leftBy === 'undo';
  return [left, ...(isSpare ? rest : notes)].slice(0, mostInARow);
}

/**
 * No turn goes out of reach. Turns that are given in exchange come back with the next undo; when that has happened, the
 * undos after it go round all that the thread ever left.
 */
export function notesAfterUndo(
  rest: readonly JsonObject[],
  undone: RollbackNote,
  { since, left }: { readonly since: number; left(by: LeftBy): JsonObject },
): { readonly notes: readonly JsonObject[]; readonly next?: 'earlier-rollback' } {
  if (undone.leftBy === 'undo') return { notes: [left('rollback'), ...rest] };
  if (since > 0) return { notes: [left('exchange'), ...rest] };
  const [next, ...others] = rest;
  if (next === undefined) return { notes: [left(undone.leftBy === 'rollback' ? 'undo' : 'exchange')] };
  if (undone.leftBy === 'rollback') return { notes: rest, next: 'earlier-rollback' };
  const exchanged = { ...next, ...marks.exchange, kept: undone.turns };
  return { notes: [exchanged, ...others, left('exchange')], next: 'earlier-rollback' };
}

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
export function readLeftRollouts(meta: JsonObject): readonly LeftRollout[] {
  const noted = arrayAt(objectAt(meta, 'capstan'), 'left') ?? [];
  return noted.filter(isJsonObject).flatMap((note) => {
    const [rolloutId, until] = [stringAt(note, 'rollout_id'), stringAt(note, 'until')];
    const common = numberAt(note, 'common');
    return rolloutId === undefined || until === undefined || common === undefined ? [] : [{ rolloutId, until, common }];
  });
}

/** Where the rollout with this first line and one that the thread left begin to differ. Undefined: nothing says it. */
export function firstOwnOrdinal(meta: JsonObject, left: string): Ordinal | undefined {
  const shared = sharedWith(readLeftRollouts(meta), left);
  return shared < 0 ? undefined : ((shared + 1) as Ordinal);
}

/**
 * What the first line of a new rollout says, which takes the place of the current one and begins with what stands before
 * a place. Two that have a place in common with a third have at least the smaller one in common with each other; so no
 * entry says more than what is shared.
 */
export async function leftRolloutsNote(
  store: Pick<RolloutStore, 'readBack'>,
  id: ThreadId,
  { rolloutId, meta }: Pick<CurrentRollout, 'rolloutId' | 'meta'>,
  to: RolloutPlace,
): Promise<JsonObject> {
  const before = readLeftRollouts(meta);
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
