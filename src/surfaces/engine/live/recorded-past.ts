import type { CurrentRollout, NewestLine, RolloutStore } from '../../../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../../protocol/line.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import {
  foldRecorded,
  nothingRecorded,
  placeOf,
  type RecordedNews,
  type RecordedState,
} from '../../../state/recorded-events.ts';
import { turnEventKind } from '../../../state/turn-event.ts';
import { foldPlace, noTurnsOfAny } from '../../../state/turns.ts';
import { totalIn } from '../../../state/waiting.ts';
import { leftRollouts } from '../../../thread/branch/left-rollouts.ts';
import type { LiveNews } from './live-thread.ts';
import { cursorAt, type PlaceCursor } from './place-cursor.ts';

/** Where a thread ends. */
interface ThreadEnd {
  /** Of its newest line; -1 where there is none. Lines without ordinals are counted. */
  readonly place: number;
  readonly cursor?: PlaceCursor;
}

export function endAt(newest: NewestLine): ThreadEnd {
  return { place: newest.ordinal, cursor: cursorAt(newest.ordinal, newest) };
}

export async function readEnd(store: RolloutStore, id: ThreadId): Promise<ThreadEnd> {
  let place = -1;
  const old: Line[] = [];
  for await (const line of store.readBack(id)) {
    const { ordinal, type, payload } = line;
    // The first line of a fork or a revert is read before those that it continues from.
    if (ordinal === undefined) old.push(line);
    else if (type !== lineType.sessionMeta) return endAt({ ...line, ordinal });
    else place = Math.max(place, numberAt(objectAt(payload, 'history_base'), 'end_ordinal_exclusive') ?? 0);
  }
  const [newest] = old;
  return newest === undefined ? { place } : { place: old.length - 1, cursor: cursorAt(old.length - 1, newest) };
}

export type NamedRollout = Pick<CurrentRollout, 'rolloutId' | 'meta'>;

/** A rollout, and the place of its newest line, as far as it is known. */
type KnownRollout = NamedRollout & Pick<ThreadEnd, 'place'>;

/** The rollout of a thread. The first one has the name of its thread, also before it is there. */
export async function currentRollout(store: RolloutStore, id: ThreadId): Promise<NamedRollout> {
  const current = await store.current(id);
  return current.kind === 'current' ? current : { rolloutId: id, meta: {} };
}

/**
 * The last place that a rollout has in common with the one that was there before it; -1 where nothing says what they
 * share.
 */
export function commonPlace(before: KnownRollout, after: KnownRollout): number {
  if (before.rolloutId === after.rolloutId) return before.place;
  const left = leftRollouts(after.meta).find(({ rolloutId }) => rolloutId === before.rolloutId);
  if (left !== undefined) return Math.min(before.place, left.common);
  const [was, is] = [baseOf(before), baseOf(after)];
  if (is.rolloutId === before.rolloutId) return Math.min(before.place, is.end - 1);
  if (was.rolloutId === after.rolloutId) return Math.min(after.place, was.end - 1);
  return is.rolloutId !== undefined && is.rolloutId === was.rolloutId ? Math.min(was.end, is.end) - 1 : -1;
}

function baseOf({ meta }: KnownRollout) {
  const base = objectAt(meta, 'history_base');
  return { rolloutId: stringAt(base, 'thread_id'), end: numberAt(base, 'end_ordinal_exclusive') ?? 0 };
}

/**
 * What a reader of the whole thread knows behind this place. Read from the turn before it on, with the newest cost from
 * before that: the rest of a state does not reach across turns.
 */
export async function recordedAt(store: RolloutStore, id: ThreadId, place: number): Promise<RecordedState> {
  // There may be no file yet.
  if (place < 0) return nothingRecorded(id);
  const start = await turnBefore(store, id, place);
  let state = start.state;
  const from = (placeOf(state) + 1) as Ordinal;
  if (from > place) return state;
  for await (const line of store.read(id, { from, to: (place + 1) as Ordinal }))
    state = foldRecorded(state, line).state;
  return at(state, place);
}

async function turnBefore(
  store: RolloutStore,
  id: ThreadId,
  place: number,
): Promise<{ readonly state: RecordedState }> {
  const nothing = nothingRecorded(id);
  let start: number | undefined;
  for await (const line of store.readBack(id, concernsStart)) {
    // Lines of the old form have no places of their own: they are read from the first.
    if (line.ordinal === undefined) return { state: nothing };
    if (line.ordinal > place) continue;
    if (start === undefined && isTurnStart(line)) start = line.ordinal;
    else if (start !== undefined && line.ordinal < start && saysTotal(line)) {
      return { state: at(foldRecorded(nothing, line).state, start - 1) };
    }
  }
  return { state: start === undefined ? nothing : at(nothing, start - 1) };
}

function at(state: RecordedState, place: number): RecordedState {
  return { ...state, turns: { ...state.turns, place } };
}

function concernsStart({ type, payloadType }: LineKind): boolean {
  if (type === lineType.waiting) return true;
  if (type !== lineType.event) return false;
  return payloadType === undefined || payloadType === 'token_count' || turnEventKind(payloadType) === 'start';
}

function isTurnStart({ type, payload }: Line): boolean {
  return type === lineType.event && turnEventKind(payload['type']) === 'start';
}

function saysTotal({ type, payload }: Line): boolean {
  if (type === lineType.waiting) return totalIn(payload) !== undefined;
  return payload['type'] === 'token_count' && objectAt(payload, 'info') !== undefined;
}

/** The last place before what a line took back; undefined where it took nothing back. */
export async function takenBackAt(store: RolloutStore, id: ThreadId, place: number): Promise<number | undefined> {
  let log = noTurnsOfAny;
  let before = log.takenBack;
  for await (const line of store.read(id, { from: 0 as Ordinal, to: (place + 1) as Ordinal })) {
    before = log.takenBack;
    log = foldPlace(log, line);
  }
  return log.takenBack === before ? undefined : log.takenBack!.start - 1;
}

/** One of the news that a line holds. */
export interface PlacedNews {
  readonly place: number;
  /** Counted from 0 among those of its line. */
  readonly index: number;
  readonly isLast: boolean;
  readonly cursor: PlaceCursor;
  readonly news: RecordedNews;
  /** Before its line. */
  readonly before: RecordedState;
}

export function newsOf(
  before: RecordedState,
  line: Line,
): { readonly state: RecordedState; readonly placed: readonly PlacedNews[] } {
  const { state, news } = foldRecorded(before, line);
  const place = placeOf(state);
  const cursor = cursorAt(place, line);
  const last = news.length - 1;
  return {
    state,
    placed: news.map((each, index) => ({ place, cursor, index, isLast: index === last, news: each, before })),
  };
}

/** As followers get it; `event`: that, with all that is known of it. */
export function recorded({ place, cursor, isLast }: PlacedNews, event: ThreadEvent): LiveNews {
  return { kind: 'recorded', ordinal: place as Ordinal, cursor, event, ...(isLast ? {} : { more: true }) };
}
