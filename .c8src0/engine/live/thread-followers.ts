import type { NewestLine, RolloutStore } from '../../ports/thread-store.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import {
  foldRecorded,
  initialRecordedState,
  placeOfState,
  recordedStateAt,
} from '../../core/state/recorded/thread-events.ts';
import type { RecordedState } from '../../core/state/recorded/thread-events.ts';
import { emptyThreadState } from '../../core/state/thread-state.ts';
import { iterateNews, type LogNews } from '../thread/event-stream.ts';
import type { Thread } from '../thread/thread.ts';
import type { OpenedThread } from '../thread-setup/open-thread.ts';
import { type FollowedThread, Follower } from './follower.ts';
import {
  lastCommonPlace,
  currentRollout,
  newestPlaceOf,
  newsForFollowers,
  readNewestPlace,
  readRecordedState,
} from './thread-news.ts';
import type { NamedRollout } from './thread-news.ts';
import type { FollowOptions, LiveNews } from './live-thread-types.ts';
import { cursorAt, type LineCursor } from './line-cursor.ts';

const mostUnfolded = 100;

/** All followers of one thread, loaded or not. Does next to no work while there are none. */
export class ThreadFollowers implements FollowedThread {
  readonly id: ThreadId;
  readonly store: RolloutStore;
  readonly isKept: boolean;
  readonly #followers = new Set<Follower>();
  #thread: Thread | undefined;
  #stopPreviews: (() => void) | undefined;
  /** The rollout that the followers know; looked up for the first of them. */
  #rollout: Promise<NamedRollout | undefined> | undefined;
  /** State before the unfolded lines. Absent: nothing was recorded before them. */
  #state: RecordedState | undefined;
  #cursor: LineCursor | undefined;
  #unfolded: Line[] = [];
  readonly #onLeave: () => void;
  #ended: Outcome | undefined;

  constructor(id: ThreadId, store: RolloutStore, { isKept, onLeave }: { readonly isKept: boolean; onLeave(): void }) {
    this.id = id;
    this.store = store;
    this.isKept = isKept;
    this.#onLeave = onLeave;
  }

  get state(): RecordedState {
    let state = this.#state ?? initialRecordedState(this.id);
    for (const line of this.#unfolded) {
      state = foldRecorded(state, line).state;
      this.#cursor = cursorAt(placeOfState(state), line);
    }
    this.#unfolded = [];
    this.#state = state;
    return state;
  }

  get place(): number {
    return placeOfState(this.state);
  }
  get cursor(): LineCursor | undefined {
    return this.state && this.#cursor;
  }
  get previewed(): Iterable<string> {
    return this.#thread?.previewed ?? [];
  }
  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Called when the thread is loaded, before it writes. Other programs may have written since the last time. */
  async attach(thread: Thread, { newest }: Pick<OpenedThread, 'newest'>): Promise<void> {
    // A new thread has nothing to look up.
    if (thread.state !== emptyThreadState && (this.isKept || (await this.store.current(this.id)).kind === 'current')) {
      const { openTurn } = thread.state;
      // The thread's state does not say how far an open turn has come, so read its lines.
      await this.#look(newest, (place) =>
        openTurn === undefined
          ? recordedStateAt(this.id, thread.state, place)
          : readRecordedState(this.store, this.id, place),
      );
    }
    this.#thread = thread;
    thread.subscribe({
      durable: (news) => this.#durable(news),
      ended: () => {
        if (this.#thread === thread) this.#thread = this.#stopPreviews = undefined;
      },
    });
    this.#watchPreviews();
  }

  /** Called after work on the thread as a whole, while it was not loaded. */
  lookAgain(): Promise<void> {
    return this.#look(undefined, (place) => ({ ...this.state, turns: { ...this.state.turns, place } }));
  }

  async #look(seen: NewestLine | undefined, stateAt: (place: number) => RecordedState | Promise<RecordedState>) {
    const known = this.state;
    const before = await this.#rollout;
    const after = before && (await currentRollout(this.store, this.id));
    const { place, cursor } = seen === undefined ? await readNewestPlace(this.store, this.id) : newestPlaceOf(seen);
    this.#state = await stateAt(place);
    this.#cursor = cursor;
    if (after !== undefined) this.#rollout = Promise.resolve(after);
    const isOther = before !== undefined && after !== undefined && before.rolloutId !== after.rolloutId;
    const common = isOther
      ? lastCommonPlace({ ...before, place: placeOfState(known) }, { ...after, place })
      : undefined;
    for (const follower of this.#followers) {
      if (common !== undefined) follower.rewound(common);
      else if (place !== placeOfState(known)) follower.fellBehind(known);
    }
  }

  #durable(news: readonly LogNews[]): void {
    if (!this.isFollowed) {
      for (const each of news) if (each.kind === 'line') this.#unfolded.push(each.line);
      if (this.#unfolded.length > mostUnfolded) void this.state;
      return;
    }
    const handed = newsForFollowers(this.state, news);
    this.#state = handed.state;
    const newest = news.findLast((each) => each.kind === 'line');
    if (newest !== undefined) this.#cursor = cursorAt(this.place, newest.line);
    for (const follower of this.#followers) follower.durable(handed.news);
  }

  #watchPreviews(): void {
    const followers = [...this.#followers];
    if (followers.some(({ wantsPreviews }) => wantsPreviews)) {
      this.#stopPreviews ??= this.#thread?.subscribe({
        provisional: (event) => {
          for (const follower of this.#followers) follower.preview(event);
        },
      });
    } else {
      this.#stopPreviews?.();
      this.#stopPreviews = undefined;
    }
  }

  follow(options: FollowOptions): AsyncIterableIterator<LiveNews> {
    const follower = new Follower(this, options);
    const leave = (): void => {
      options.signal?.removeEventListener('abort', leave);
      follower.stop();
      if (!this.#followers.delete(follower)) return;
      this.#watchPreviews();
      this.#onLeave();
    };
    if (options.signal?.aborted === true) follower.stop();
    else if (this.#ended !== undefined) follower.end(this.#ended);
    else this.#followers.add(follower);
    // If it cannot be read, the next follower asks again.
    this.#rollout ??= currentRollout(this.store, this.id).catch(() => (this.#rollout = undefined));
    this.#watchPreviews();
    options.signal?.addEventListener('abort', leave, { once: true });
    return iterateNews(() => follower.next(), leave);
  }

  end(because: Outcome): void {
    this.#ended = because;
    for (const follower of this.#followers) follower.end(because);
  }
}
