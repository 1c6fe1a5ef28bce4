import { turnEventKind } from '../../core/state/drafts/turn-lines.ts';
import { threadTotalIn } from '../../core/state/fold/waiting-messages.ts';
import {
  foldRecorded,
  initialRecordedState,
  isRecordedEvent,
  placeOfState,
} from '../../core/state/recorded/thread-events.ts';
import type { RecordedNews, RecordedState } from '../../core/state/recorded/thread-events.ts';
import { foldTurnWithoutWords, noTurnsWithInherited } from '../../core/state/turns/turn-log.ts';
import type { CurrentRollout, NewestLine, RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../protocol/line.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { parseFormerRollouts } from '../thread/branch/rollback-note.ts';
import type { LogNews } from '../thread/event-stream.ts';
import { cursorAt, type LineCursor } from './line-cursor.ts';
import type { LiveNews } from './live-thread-types.ts';

interface NewestPlace {
  /** Place of the newest line; -1 if there is none. Lines without ordinals are counted. */
  readonly place: number;
  readonly cursor?: LineCursor;
}

export function newestPlaceOf(newest: NewestLine): NewestPlace {
  return { place: newest.ordinal, cursor: cursorAt(newest.ordinal, newest) };
}

export async function readNewestPlace(store: RolloutStore, id: ThreadId): Promise<NewestPlace> {
  let place = -1;
  const old: Line[] = [];
  for await (const line of store.readBack(id)) {
    const { ordinal, type, payload } = line;
    // The first line of a fork or a revert is read before the lines that it continues from.
    if (ordinal === undefined) old.push(line);
    else if (type !== lineType.sessionMeta) return newestPlaceOf({ ...line, ordinal });
    else place = Math.max(place, numberAt(objectAt(payload, 'history_base'), 'end_ordinal_exclusive') ?? 0);
  }
  const [newest] = old;
  return newest === undefined ? { place } : { place: old.length - 1, cursor: cursorAt(old.length - 1, newest) };
}

export type NamedRollout = Pick<CurrentRollout, 'rolloutId' | 'meta'>;
type KnownRollout = NamedRollout & Pick<NewestPlace, 'place'>;

/** The current rollout of a thread. The first one has the name of its thread, even before it exists. */
export async function currentRollout(store: RolloutStore, id: ThreadId): Promise<NamedRollout> {
  const current = await store.current(id);
  return current.kind === 'current' ? current : { rolloutId: id, meta: {} };
}

/** The last place that a rollout shares with its predecessor; -1 if unknown. */
export function lastCommonPlace(before: KnownRollout, after: KnownRollout): number {
  if (before.rolloutId === after.rolloutId) return before.place;
  const left = parseFormerRollouts(after.meta).find(({ rolloutId }) => rolloutId === before.rolloutId);
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

/** The state after a place, from the start of its turn and the newest cost before: nothing more outlasts a turn. */
export async function readRecordedState(store: RolloutStore, id: ThreadId, place: number): Promise<RecordedState> {
  // There may be no file yet.
  if (place < 0) return initialRecordedState(id);
  let state = await turnBefore(store, id, place);
  const from = (placeOfState(state) + 1) as Ordinal;
  if (from > place) return state;
  for await (const line of store.read(id, { from, to: (place + 1) as Ordinal }))
    state = foldRecorded(state, line).state;
  return at(state, place);
}

async function turnBefore(store: RolloutStore, id: ThreadId, place: number): Promise<RecordedState> {
  const nothing = initialRecordedState(id);
  let start: number | undefined;
  for await (const line of store.readBack(id, concernsStart)) {
    // Lines of the old form have no ordinals: read from the first.
    if (line.ordinal === undefined) return nothing;
    if (line.ordinal > place) continue;
    if (start === undefined && isTurnStart(line)) start = line.ordinal;
    else if (start !== undefined && line.ordinal < start && saysTotal(line))
      return at(foldRecorded(nothing, line).state, start - 1);
  }
  return start === undefined ? nothing : at(nothing, start - 1);
}

const at = (state: RecordedState, place: number): RecordedState => ({ ...state, turns: { ...state.turns, place } });

function concernsStart({ type, payloadType }: LineKind): boolean {
  if (type === lineType.waiting) return true;
  if (type !== lineType.event) return false;
  return payloadType === undefined || payloadType === 'token_count' || turnEventKind(payloadType) === 'start';
}

const isTurnStart = ({ type, payload }: Line): boolean =>
  type === lineType.event && turnEventKind(payload['type']) === 'start';

function saysTotal({ type, payload }: Line): boolean {
  if (type === lineType.waiting) return threadTotalIn(payload) !== undefined;
  return payload['type'] === 'token_count' && objectAt(payload, 'info') !== undefined;
}

/** The last place before the lines that this line took back; undefined if it took none back. */
export async function placeBeforeRollback(
  store: RolloutStore,
  id: ThreadId,
  place: number,
): Promise<number | undefined> {
  let log = noTurnsWithInherited;
  let before = log.takenBack;
  for await (const line of store.read(id, { from: 0 as Ordinal, to: (place + 1) as Ordinal })) {
    before = log.takenBack;
    log = foldTurnWithoutWords(log, line);
  }
  return log.takenBack === before ? undefined : log.takenBack!.start - 1;
}

export interface PlacedNews {
  readonly place: number;
  /** Counted from 0 within its line. */
  readonly index: number;
  readonly isLast: boolean;
  readonly cursor: LineCursor;
  readonly news: RecordedNews;
  readonly before: RecordedState;
}

export function newsOf(before: RecordedState, line: Line) {
  const { state, news } = foldRecorded(before, line);
  const place = placeOfState(state);
  const about = { place, cursor: cursorAt(place, line), before };
  const last = news.length - 1;
  const placed = news.map((each, index): PlacedNews => ({ ...about, index, isLast: index === last, news: each }));
  return { state, placed };
}

export function recordedNews({ place, cursor, isLast }: PlacedNews, event: ThreadEvent): LiveNews {
  return { kind: 'recorded', ordinal: place as Ordinal, cursor, event, ...(isLast ? {} : { more: true }) };
}

/** News for all followers. `placed`: its place, if it is recorded. */
export type FollowerNews = { readonly news: LiveNews; readonly placed?: PlacedNews };

/** News for followers from one durable batch of lines and events, and the state behind them. */
export function newsForFollowers(
  before: RecordedState,
  all: readonly LogNews[],
): { readonly state: RecordedState; readonly news: readonly FollowerNews[] } {
  const told = collectSentEvents(all);
  const news: FollowerNews[] = [];
  let state = before;
  for (const each of all) {
    if (each.kind === 'event') {
      const { event, isPassing } = each;
      if (isPassing === true || !isRecordedEvent(event)) news.push({ news: { kind: 'passing', event } });
      continue;
    }
    const line = newsOf(state, each.line);
    state = line.state;
    for (const placed of line.placed) {
      // A running thread takes nothing back.
      if (placed.news.kind === 'rewound') continue;
      const { event } = placed.news;
      news.push({ news: recordedNews(placed, told.take(event) ?? event), placed });
    }
  }
  return { state, news };
}

/** The sent events of a batch replace those read from its lines, which do not keep everything: each once, in order. */
export function collectSentEvents(news: readonly LogNews[]) {
  const events = news.flatMap((each) => (each.kind === 'event' && each.isPassing !== true ? [each.event] : []));
  const told = Map.groupBy(events.filter(isRecordedEvent), keyOf);
  return { take: (event: ThreadEvent): ThreadEvent | undefined => told.get(keyOf(event))?.shift() };
}

/** Identifies an event, however much of it is known. */
function keyOf(event: ThreadEvent): string {
  const about = event as Partial<Record<'turnId' | 'id' | 'itemId' | 'callId', string>> &
    Partial<Record<'item' | 'question', { readonly id: string }>>;
  const item = event.kind === 'item-completed' ? about.item?.id : undefined;
  return [event.kind, about.turnId, about.id, about.itemId, about.callId, item, about.question?.id].join('\n');
}
