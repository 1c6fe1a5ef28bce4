import type { CurrentRollout, RolloutPlace } from '../../ports/rollout-store.ts';
import { defined } from '../../protocol/defined.ts';
import type { Ordinal } from '../../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type Pin, readPins } from '../../state/pins.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { costOf, type ThreadCost } from '../../state/turn-drafts.ts';
import type { ThreadPlaces } from '../../state/turn-places.ts';
import { readUsage, usageFields } from '../../state/usage-fields.ts';

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
