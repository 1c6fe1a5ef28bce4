import type { RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { lineTime } from '../../protocol/thread-event.ts';
import { rollbackNotesIn, parseFormerRollouts, parseRollbackNote } from '../thread/branch/rollback-note.ts';

/** `<ordinal>@<timestamp>` of a line. A rollback reuses ordinals; the timestamp shows whether it is still that line. */
export type LineCursor = string & { readonly __brand: 'PlaceCursor' };
/** Start of a reader: behind a line, or at the beginning (-1). */
export type AfterPlace = Ordinal | -1 | LineCursor;

export function cursorAt(place: number, { timestamp }: Pick<Line, 'timestamp'>): LineCursor {
  return `${place}@${timestamp}` as LineCursor;
}

export function timeOfCursor(cursor: LineCursor): number | undefined {
  return lineTime({ timestamp: cursor.slice(cursor.indexOf('@') + 1) });
}

export type ClaimedPlace = { readonly place: number; readonly timestamp?: string };

export function parseAfterPlace(after: unknown): ClaimedPlace | undefined {
  if (typeof after === 'number') return Number.isInteger(after) && after >= -1 ? { place: after } : undefined;
  const [, place, timestamp] = typeof after === 'string' ? (/^(\d{1,15})(?:@(.{1,40}))?$/.exec(after) ?? []) : [];
  if (place === undefined) return undefined;
  return { place: Number(place), timestamp };
}

/** The last place up to which the reader's lines are valid; -1 if unknown. Without a timestamp, any rollback counts. */
export async function lastValidPlace(store: RolloutStore, id: ThreadId, claimed: ClaimedPlace): Promise<number> {
  const { place, timestamp } = claimed;
  if (place < 0) return -1;
  const current = await store.current(id);
  if (current.kind === 'refused') return -1;
  if (timestamp === undefined) {
    // Nothing was reverted, or the file has the old form: a line in it says which lines were taken back.
    if (current.mode === 'legacy' || current.rolloutId === id) return place;
  } else if ((await timestampAt(store, id, place)) === timestamp) return place;
  return beforeRollback(current.meta, id, claimed);
}

/** Like `lastValidPlace`, for a caller that has all lines of the thread. */
export function lastValidPlaceIn(lines: readonly Line[], id: ThreadId, claimed: ClaimedPlace): number {
  const { place, timestamp } = claimed;
  if (place < 0) return -1;
  const meta = lines.find(({ type }) => type === lineType.sessionMeta)?.payload ?? {};
  const stands =
    timestamp === undefined
      ? rollbackNotesIn(meta).length === 0
      : lines.some((line) => line.ordinal === place && line.timestamp === timestamp);
  return stands ? place : beforeRollback(meta, id, claimed);
}

function beforeRollback(meta: JsonObject, id: ThreadId, { place, timestamp }: ClaimedPlace): number {
  const left = parseFormerRollouts(meta);
  if (left.length === 0) return beforeOnlyRollback(meta, id, place);
  if (timestamp === undefined) return Math.min(place, ...left.map(({ common }) => common));
  // The rollout that was current when the line was written contains or continues the line.
  const wasIn = left.find(({ until }) => Date.parse(timestamp) <= Date.parse(until));
  return wasIn === undefined ? -1 : Math.min(place, wasIn.common);
}

/** For files of earlier versions, which do not list the rollouts that the thread left. */
function beforeOnlyRollback(meta: JsonObject, id: ThreadId, place: number): number {
  const base = objectAt(meta, 'history_base');
  const [newest, ...earlier] = rollbackNotesIn(meta);
  const isRollback = newest !== undefined && parseRollbackNote(newest)?.leftBy === 'rollback';
  const isOnly = isRollback && earlier.length === 0 && stringAt(base, 'thread_id') === id;
  return isOnly ? Math.min(place, (numberAt(base, 'end_ordinal_exclusive') ?? 0) - 1) : -1;
}

async function timestampAt(store: RolloutStore, id: ThreadId, place: number): Promise<string | undefined> {
  let at = place - 1;
  for await (const line of store.read(id, { from: place as Ordinal, to: (place + 1) as Ordinal })) {
    at = line.ordinal ?? at + 1;
    if (at === place) return line.timestamp;
  }
  return undefined;
}
