import { fileSystem } from '../../adapters/disk/file-system.ts';
import { systemClock } from '../../adapters/gather/clock-and-ids.ts';
import type { Clock } from '../../ports/system.ts';
import type { RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { placeOfState } from '../../core/state/recorded/thread-events.ts';
import type { FollowOptions, LiveEngine, LiveNews, LiveThread } from './live-thread-types.ts';
import { parseAfterPlace } from './line-cursor.ts';
import {
  lastCommonPlace,
  currentRollout,
  newsOf,
  readNewestPlace,
  recordedNews,
  readRecordedState,
  placeBeforeRollback,
} from './thread-news.ts';

/** Interval of the checks of the file's size, and after how many of them to check which file is current. */
const lookMs = 150;
const looksPerRollout = 10;
/** A thread that another program writes: it can only be followed. */
export type WatchedThread = Pick<LiveThread, 'id' | 'place' | 'follow'>;

/** Follows the lines of a thread as its file grows, without a lease. A check only asks for the file's size. */
export async function watchThread(
  engine: { readonly forLive: Pick<LiveEngine, 'store'> },
  id: ThreadId,
  clock: Clock = systemClock,
): Promise<WatchedThread> {
  const { store } = engine.forLive;
  const { place } = await readNewestPlace(store, id);
  return {
    id,
    place: place < 0 ? undefined : (place as Ordinal),
    follow: ({ after = place as Ordinal, ...more } = {}) => readAlong(store, clock, id, { after, ...more }),
  };
}

async function* readAlong(
  store: RolloutStore,
  clock: Clock,
  id: ThreadId,
  { after, signal, caughtUp }: FollowOptions,
): AsyncGenerator<LiveNews> {
  let state = await readRecordedState(store, id, parseAfterPlace(after)?.place ?? -1);
  let rollout = await currentRollout(store, id);
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const current = await store.current(id);
    const location = current.kind === 'current' ? current.location : undefined;
    const before = sizeOf(location);
    for await (const line of store.read(id, { from: (placeOfState(state) + 1) as Ordinal })) {
      const read = newsOf(state, line);
      state = read.state;
      for (const placed of read.placed) {
        if (isOver()) return;
        if (placed.news.kind === 'event') yield recordedNews(placed, placed.news.event);
        else {
          const to = await placeBeforeRollback(store, id, placed.place);
          if (to !== undefined) yield { kind: 'rewound', to: to as Ordinal };
        }
      }
    }
    caughtUp?.();
    for (let look = 0; look < looksPerRollout && !isOver() && sizeOf(location) === before; look++)
      await clock.sleep(lookMs);
    const now = await currentRollout(store, id);
    if (now.rolloutId === rollout.rolloutId) continue;
    // A rollback began another file.
    const { place } = await readNewestPlace(store, id);
    const to = lastCommonPlace({ ...rollout, place: placeOfState(state) }, { ...now, place });
    rollout = now;
    if (to < placeOfState(state)) yield { kind: 'rewound', to: to as Ordinal };
    state = await readRecordedState(store, id, Math.min(to, placeOfState(state)));
  }
}

/** Undefined for a thread without a file: such a thread is read again each time. */
const sizeOf = (location: string | undefined): number | undefined =>
  location === undefined ? undefined : fileSystem.statSync(location, { throwIfNoEntry: false })?.size;
