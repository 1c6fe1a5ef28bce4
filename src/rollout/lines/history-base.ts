import type { HistoryMode } from '../../ports/rollout-store.ts';
import type { Ordinal } from '../../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';

/** Where the history of a rollout continues from: the part of another file that stands before its own lines. */
export interface HistoryBase {
  readonly rolloutId: string;
  readonly end: Ordinal;
  readonly endByte: number;
}

export function historyBase(meta: JsonObject): HistoryBase | undefined {
  const base = objectAt(meta, 'history_base');
  if (base === undefined) return undefined;
  return {
    // The shared key says "thread", and means a rollout.
    rolloutId: stringAt(base, 'thread_id') ?? '',
    end: (numberAt(base, 'end_ordinal_exclusive') ?? 0) as Ordinal,
    endByte: numberAt(base, 'end_byte_offset') ?? 0,
  };
}

/** The first line with another base, or with none. */
export function withBase({ history_base: _old, ...meta }: JsonObject, base: HistoryBase | undefined): JsonObject {
  if (base === undefined) return meta;
  const { rolloutId, end, endByte } = base;
  return { ...meta, history_base: { thread_id: rolloutId, end_ordinal_exclusive: end, end_byte_offset: endByte } };
}

/** Undefined when a rollout is in an unknown form. */
export function historyMode(meta: JsonObject): HistoryMode | undefined {
  const mode = meta['history_mode'] ?? 'legacy';
  return mode === 'legacy' || mode === 'paginated' ? mode : undefined;
}
