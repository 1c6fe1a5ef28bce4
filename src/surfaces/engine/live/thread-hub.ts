import type { RolloutStore } from '../../../ports/rollout-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ProvisionalEvent } from '../../../protocol/provisional-event.ts';
import {
  foldRecorded,
  nothingRecorded,
  placeOf,
  recordedUntil,
  type RecordedState,
} from '../../../state/recorded-events.ts';
import type { LogNews } from '../../../thread/parts/subscribers.ts';
import type { Thread } from '../../../thread/thread.ts';
import type { FollowedThread } from './followed-thread.ts';
import { Follower } from './follower.ts';
import type { FollowOptions, LiveNews } from './live-thread.ts';
import { cursorAt, type PlaceCursor } from './place-cursor.ts';
import { commonPlace, readEnd, recordedAt, type RolloutEnd } from './recorded-past.ts';

/** All who follow one thread, whether it is loaded or not. */
export class ThreadHub implements FollowedThread {
  readonly id: ThreadId;
  readonly store: RolloutStore;
  readonly isKept: boolean;
  readonly #followers = new Set<Follower>();
  readonly previewed = new Set<string>();
  /** As the thread was left, or found. */
  #end: RolloutEnd | undefined;
  #state: RecordedState;
  #cursor: PlaceCursor | undefined;
  readonly #onLeave: () => void;
  /** Why no more comes. */
  #ended: Outcome | undefined;

  constructor(id: ThreadId, store: RolloutStore, { isKept, onLeave }: { readonly isKept: boolean; onLeave(): void }) {
    this.id = id;
    this.store = store;
    this.isKept = isKept;
    this.#onLeave = onLeave;
    this.#state = nothingRecorded(id);
  }

  get state(): RecordedState {
    return this.#state;
  }

  get place(): number {
    return placeOf(this.#state);
  }

  /** Of the line at `place`; undefined where there is none. */
  get cursor(): PlaceCursor | undefined {
    return this.#cursor;
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** The thread is loaded: nothing of it has been written yet. Between the last time and now, other programs may have. */
  async attach(thread: Thread): Promise<void> {
    const before = this.#end && { ...this.#end, place: this.place };
    const end = await readEnd(this.store, this.id);
    this.#end = end;
    this.#cursor = end.cursor;
    const isOpen = thread.state.openTurn !== undefined;
    // What a turn has done so far is in its lines alone.
    this.#state = isOpen
      ? await recordedAt(this.store, this.id, end.place)
      : recordedUntil(this.id, thread.state, end.place);
    this.#moved(before, end);
    thread.subscribe({
      durable: (news) => this.#durable(news),
      provisional: (event) => this.#preview(event),
    });
  }

  /** Something was done to the thread as a whole while it was not loaded. */
  async lookAgain(): Promise<void> {
    const before = this.#end && { ...this.#end, place: this.place };
    const end = await readEnd(this.store, this.id);
    this.#end = end;
    this.#cursor = end.cursor;
    this.#state = { ...this.#state, turns: { ...this.#state.turns, place: end.place } };
    this.#moved(before, end);
  }

  #moved(before: RolloutEnd | undefined, end: RolloutEnd): void {
    if (before === undefined) return;
    const common = commonPlace(before, end);
    for (const follower of this.#followers) {
      if (before.rolloutId !== '' && before.rolloutId !== end.rolloutId) follower.rewound(common);
      else if (end.place !== before.place) follower.fellBehind();
    }
  }

  #durable(news: readonly LogNews[]): void {
    for (const each of news) {
      if (each.kind === 'line') {
        this.#state = foldRecorded(this.#state, each.line).state;
        this.#cursor = cursorAt(this.place, each.line);
      } else if (each.event.kind === 'item-completed') this.previewed.delete(each.event.item.id);
    }
    for (const follower of this.#followers) follower.durable(news);
  }

  #preview(event: ProvisionalEvent): void {
    for (const follower of this.#followers) follower.preview(event);
    if (event.kind === 'dropped') this.previewed.delete(event.itemId);
    else this.previewed.add(event.itemId);
  }

  follow(options: FollowOptions): AsyncIterableIterator<LiveNews> {
    const follower = new Follower(this, options);
    const leave = (): void => {
      options.signal?.removeEventListener('abort', leave);
      follower.stop();
      if (this.#followers.delete(follower)) this.#onLeave();
    };
    if (options.signal?.aborted === true) follower.stop();
    else if (this.#ended !== undefined) follower.end(this.#ended);
    else this.#followers.add(follower);
    options.signal?.addEventListener('abort', leave, { once: true });
    return {
      async next() {
        try {
          const value = await follower.next();
          if (value !== undefined) return { done: false, value };
        } catch (error) {
          leave();
          throw error;
        }
        leave();
        return { done: true, value: undefined };
      },
      return() {
        leave();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** No more comes, ever. */
  end(because: Outcome): void {
    this.#ended = because;
    for (const follower of this.#followers) follower.end(because);
  }
}
