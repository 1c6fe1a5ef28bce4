import type { RolloutStore } from '../../../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { beganWithRollback } from '../../../thread/branch/revert.ts';
import { notesIn } from '../../../thread/branch/rollback-note.ts';

/**
 * Names a line of a thread for good: `<ordinal>@<timestamp>`. After a rollback ordinals are used again; the timestamp says
 * whether the line of this ordinal is still the same.
 */
export type PlaceCursor = string & { readonly __brand: 'PlaceCursor' };

/** Where a reader continues: behind a line, or from the beginning. */
export type AfterPlace = Ordinal | -1 | PlaceCursor;

export function cursorAt(place: number, { timestamp }: Pick<Line, 'timestamp'>): PlaceCursor {
  return `${place}@${timestamp}` as PlaceCursor;
}

/** Undefined where it is none. */
export function readAfter(after: unknown): { readonly place: number; readonly timestamp?: string } | undefined {
  if (typeof after === 'number') return Number.isInteger(after) && after >= -1 ? { place: after } : undefined;
  const [, place, timestamp] = typeof after === 'string' ? (/^(\d{1,15})(?:@(.{1,40}))?$/.exec(after) ?? []) : [];
  if (place === undefined) return undefined;
  return { place: Number(place), ...(timestamp !== undefined && { timestamp }) };
}

/**
 * How far what the reader knows up to its place still stands: the place itself, or the one before what was taken back; -1
 * where it cannot be told. A number without a timestamp counts as taken back where it may have been.
 */
export async function standingPlace(
  store: RolloutStore,
  id: ThreadId,
  { place, timestamp }: { readonly place: number; readonly timestamp?: string },
): Promise<number> {
  if (place < 0) return -1;
  const current = await store.current(id);
  if (current.kind === 'refused') return -1;
  if (timestamp === undefined) {
    // In the old form, a line of the file itself says what was taken back.
    if (current.mode === 'legacy' || current.rolloutId === id) return place;
  } else if ((await timestampAt(store, id, place)) === timestamp) return place;
  const base = objectAt(current.meta, 'history_base');
  const end = numberAt(base, 'end_ordinal_exclusive') ?? 0;
  const isOnlyRollback =
    stringAt(base, 'thread_id') === id && notesIn(current.meta).length === 1 && beganWithRollback(current.meta);
  return isOnlyRollback ? Math.min(place, end - 1) : -1;
}

async function timestampAt(store: RolloutStore, id: ThreadId, place: number): Promise<string | undefined> {
  let at = place - 1;
  for await (const line of store.read(id, { from: place as Ordinal, to: (place + 1) as Ordinal })) {
    at = line.ordinal ?? at + 1;
    if (at === place) return line.timestamp;
  }
  return undefined;
}
