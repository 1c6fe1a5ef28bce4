import { threadCostOf, type ThreadCost } from '../../../core/state/drafts/turn-lines.ts';
import { readUsage, usageFields } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import { type Pin, pinsFromJson } from '../../../core/state/fold/pinned-notes.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import type { ThreadPlaces } from '../../../core/state/turns/turn-list.ts';
import type { CurrentRollout, RolloutPlace, RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';

/**
 * Why the thread left a rollout. `rollback`: all turns of the thread are also in the left rollout. `undo`: all turns of
 * the left rollout are also in the thread. `exchange`: each may have turns that the other lacks.
 */
type LeftBy = 'rollback' | 'undo' | 'exchange';

export interface RollbackNote {
  readonly place: RolloutPlace;
  readonly leftBy: LeftBy;
  readonly turns: number;
  /** Turns in the thread after the revert. */
  readonly kept: number;
  readonly pins: readonly Pin[];
  /** Cost of the left rollout. Absent in older versions. */
  readonly usage?: ThreadCost;
}

/** The first line of a file holds all undoable reverts, each with its pinned notes. */
const mostInARow = 10;

/** Older versions do not record whether an undo was an exchange: it may have been one. */
const marks: Readonly<Record<LeftBy, JsonObject>> = {
  rollback: {},
  undo: { undo: true, exchange: false },
  exchange: { undo: true, exchange: true },
};

/** The note about the replaced rollout for the first line of the new one, with the number of turns it begins with. */
export function createRollbackNote(
  { current, places, now }: { current: CurrentRollout; places: ThreadPlaces; now: ThreadState },
  kept: number,
  leftBy: LeftBy,
): JsonObject {
  const [{ pins, usage }, { end, turns }] = [now, places];
  const { total, last } = threadCostOf(usage);
  const cost = { usage: { total: usageFields(total), last: usageFields(last) } };
  const notes = pins.length === 0 ? {} : { pins: pins.map(({ id, text }) => ({ id, text })) };
  const place = { rollout_id: current.rolloutId, end_ordinal_exclusive: end };
  return { ...place, turns: turns.length, kept, ...cost, ...notes, ...marks[leftBy] };
}

export function parseRollbackNote(note: JsonObject): RollbackNote | undefined {
  const [rolloutId, end] = [stringAt(note, 'rollout_id'), numberAt(note, 'end_ordinal_exclusive')];
  const [turns, kept] = [numberAt(note, 'turns'), numberAt(note, 'kept')];
  if (rolloutId === undefined || end === undefined || turns === undefined || kept === undefined) return undefined;
  const counted = objectAt(note, 'usage');
  const usage = counted && { total: readUsage(counted['total']), last: readUsage(counted['last']) };
  // Some older versions do not mark undos. But only after an undo can a thread have more turns than it had before.
  const isUndo = note['undo'] === true || kept > turns;
  const leftBy = !isUndo ? 'rollback' : note['exchange'] === false ? 'undo' : 'exchange';
  const place = { rolloutId, end: end as Ordinal };
  return { place, leftBy, turns, kept, pins: pinsFromJson(note), usage };
}

/** The targets of undos, the next one first. */
export function rollbackNotesIn(meta: JsonObject): readonly JsonObject[] {
  const notes: JsonObject[] = [];
  let next = objectAt(objectAt(meta, 'capstan'), 'rollback');
  for (; next !== undefined && notes.length < mostInARow; next = objectAt(next, 'earlier')) {
    const { earlier: _earlier, ...note } = next;
    notes.push(note);
  }
  return notes;
}

export function nestRollbackNotes([first = {}, ...rest]: readonly JsonObject[]): JsonObject {
  return rest.length === 0 ? first : { ...first, earlier: nestRollbackNotes(rest) };
}

/** An undo leaves a rollout without turns of its own, so the notes need not keep it after the next rollback. */
export function notesAfterRollback(notes: readonly JsonObject[], left: JsonObject): readonly JsonObject[] {
  const [next, ...rest] = notes;
  const isSpare = next !== undefined && parseRollbackNote(next)?.leftBy === 'undo';
  return [left, ...(isSpare ? rest : notes)].slice(0, mostInARow);
}

/** Keeps every turn in reach of undos. Turns taken back in exchange return with the next undo; then undos cycle. */
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

export interface FormerRollout {
  readonly rolloutId: string;
  /** Timestamp of the last line. A reader that knows a later line read another rollout. */
  readonly until: string;
  /** The last place shared with the thread's current rollout. */
  readonly common: number;
}

/** All are in the first line of a file. Beyond this number the oldest are joined. */
const mostLeft = 50;

/** Oldest first. Empty for versions that did not note them. */
export function parseFormerRollouts(meta: JsonObject): readonly FormerRollout[] {
  return objectsAt(objectAt(meta, 'capstan'), 'left').flatMap((note) => {
    const [rolloutId, until] = [stringAt(note, 'rollout_id'), stringAt(note, 'until')];
    const common = numberAt(note, 'common');
    return rolloutId === undefined || until === undefined || common === undefined ? [] : [{ rolloutId, until, common }];
  });
}

/** The first ordinal at which this rollout and one that the thread left differ. Undefined: unknown. */
export function firstUnsharedOrdinal(meta: JsonObject, left: string): Ordinal | undefined {
  const shared = sharedWith(parseFormerRollouts(meta), left);
  return shared < 0 ? undefined : ((shared + 1) as Ordinal);
}

/**
 * The list of left rollouts for the first line of a new rollout, which begins with the lines before `to`. If two
 * rollouts each share their beginning with a third, they share at least the shorter one, so no entry claims too much.
 */
export async function formerRolloutsNote(
  store: Pick<RolloutStore, 'readBack'>,
  id: ThreadId,
  { rolloutId, meta }: Pick<CurrentRollout, 'rolloutId' | 'meta'>,
  to: RolloutPlace,
): Promise<JsonObject> {
  const before = parseFormerRollouts(meta);
  const isWhole = before.length > 0 || rolloutId === id;
  const shared = to.rolloutId === rolloutId ? to.end - 1 : sharedWith(before, to.rolloutId);
  const reached = Math.min(shared, to.end - 1);
  const until = await lastTimestamp(store, id);
  const all: readonly FormerRollout[] = [
    ...before.map((left) => {
      const common = left.rolloutId === to.rolloutId ? to.end - 1 : Math.min(left.common, reached);
      return { ...left, common };
    }),
    // If an older version left rollouts without listing them, nothing is known about the part that is shared.
    { rolloutId, until, common: isWhole ? reached : -1 },
  ];
  return { left: bounded(all).map(({ rolloutId: rollout_id, ...rest }) => ({ rollout_id, ...rest })) };
}

function sharedWith(before: readonly FormerRollout[], rolloutId: string): number {
  return before.find((left) => left.rolloutId === rolloutId)?.common ?? -1;
}

async function lastTimestamp(store: Pick<RolloutStore, 'readBack'>, id: ThreadId): Promise<string> {
  for await (const { timestamp } of store.readBack(id)) return timestamp;
  return '';
}

function bounded(all: readonly FormerRollout[]): readonly FormerRollout[] {
  const [first, second, ...rest] = all;
  if (all.length <= mostLeft || first === undefined || second === undefined) return all;
  return bounded([{ ...second, common: Math.min(first.common, second.common) }, ...rest]);
}
