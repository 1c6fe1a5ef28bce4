import type { Clock } from '../ports/clock.ts';
import type { Owned, RolloutStore } from '../ports/rollout-store.ts';
import type { Ordinal } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../protocol/line.ts';

/**
 * Threads that leave nothing on the disk. One that is resumed is read from the store below, without its writer lock,
 * and what it does from then on is forgotten at the end.
 */
export function createEphemeralStore(below: RolloutStore, clock: Clock): RolloutStore {
  return {
    create: async (_id, meta) => forgetful(clock, 0, await meta),
    async open(id) {
      let read = false;
      for await (const line of below.readBack(id)) {
        if (line.ordinal !== undefined) return forgetful(clock, line.ordinal + 1, undefined);
        read = true;
      }
      // Lines of the old form have no ordinals. A thread without lines is refused below.
      return read ? forgetful(clock, 0, undefined) : below.open(id);
    },
    fork: async (_id, meta, from) => forgetful(clock, from.end, meta),
    read: (id, options) => below.read(id, options),
    readBack: (id, wanted) => below.readBack(id, wanted),
    ...(below.readTail && { readTail: below.readTail.bind(below) }),
    current: (id) => below.current(id),
    ...(below.aside && { aside: below.aside.bind(below) }),
    hold: (id) => below.hold(id),
  };
}

/** Stamps lines and keeps none. */
function forgetful(clock: Clock, firstOrdinal: number, meta: JsonObject | undefined): Owned {
  let ordinal = firstOrdinal;
  let first: readonly LineDraft[] = meta === undefined ? [] : [{ type: lineType.sessionMeta, payload: meta }];
  return {
    kind: 'owned',
    // It is its thread's only writer: no lease was taken below.
    epoch: 0,
    location: '',
    mode: 'paginated',
    append(drafts) {
      const timestamp = new Date(clock.now()).toISOString();
      const lines = [...first, ...drafts].map(({ beside: _forgotten, ...draft }): Line => ({
        timestamp,
        ordinal: ordinal++ as Ordinal,
        ...draft,
      }));
      first = [];
      return lines;
    },
    durable: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
