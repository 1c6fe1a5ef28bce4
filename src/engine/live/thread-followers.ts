import type { NewestLine, RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ProvisionalEvent } from '../../protocol/thread-event.ts';
import {
  foldRecorded,
  initialRecordedState,
  placeOfState,
  recordedStateAt,
} from '../../core/state/recorded/thread-events.ts';
import type { RecordedState } from '../../core/state/recorded/thread-events.ts';
import { emptyThreadState } from '../../core/state/thread-state.ts';
import { iterateNews, type LogNews, ThreadNewsQueue } from '../thread/event-stream.ts';
import type { Thread } from '../thread/thread.ts';
import type { OpenedThread } from '../thread-setup/open-thread.ts';
import {
  lastCommonPlace,
  currentRollout,
  newestPlaceOf,
  newsForFollowers,
  newsOf,
  placeBeforeRollback,
  readNewestPlace,
  readRecordedState,
  recordedNews,
} from './thread-news.ts';
import type { FollowerNews, NamedRollout, PlacedNews } from './thread-news.ts';
import type { FollowOptions, LiveNews } from './live-thread-types.ts';
import { type ClaimedPlace, cursorAt, lastValidPlace, type LineCursor, parseAfterPlace } from './line-cursor.ts';

const mostUnfolded = 100;

/** All followers of one thread, loaded or not. Does next to no work while there are none. */
export class ThreadFollowers {
  readonly id: ThreadId;
  readonly store: RolloutStore;
  /** False if recorded news cannot be read again, because the thread leaves nothing on disk. */
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

  /** Place of the newest line that is durable and was handed out. */
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
    const then = placeOfState(known);
    const isOther = before !== undefined && after !== undefined && before.rolloutId !== after.rolloutId;
    const common = isOther ? lastCommonPlace({ ...before, place: then }, { ...after, place }) : undefined;
    for (const follower of this.#followers) {
      if (common !== undefined) follower.rewound(common);
      else if (place !== then) follower.fellBehind(known);
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

/** A follower reads on after line `after`, without the first `skip` news of the next line. `state`: up to `after`. */
type ReadingPlace = { readonly after: number; readonly skip: number; readonly state?: RecordedState };

/**
 * A follower of a thread, at its own pace. *Live*, it gets news through a bounded queue. When that is full it falls
 * *behind*: the queue is dropped, and it reads the same news from the rollout until it has caught up.
 */
class Follower {
  readonly #thread: ThreadFollowers;
  readonly wantsPreviews: boolean;
  readonly #queue: ThreadNewsQueue;
  readonly #caughtUp: () => void;
  readonly #first: LiveNews[] = [];
  #behind: ReadingPlace | undefined;
  #reading: AsyncGenerator<PlacedNews, void> | undefined;
  /** Place of the newest recorded news that the reader took, and how many news of that line it took. */
  #taken: { readonly place: number; readonly count: number };
  #missed = { passing: 0, previews: 0 };
  readonly #begun = new Map<string, ProvisionalEvent['turnId']>();
  /** Items whose first preview it missed: it gets no preview of them. */
  #spoiled: Set<string>;
  /** The place to continue from, until it is known to be valid. */
  #claimed: ClaimedPlace | undefined;
  #wake: PromiseWithResolvers<void> | undefined;
  #isOver = false;
  /** Set if the follower did not stop by itself. */
  #ended: Outcome | undefined;

  constructor(thread: ThreadFollowers, options: FollowOptions) {
    const { after, provisional = true, limit = 1000, caughtUp = () => {} } = options;
    this.#thread = thread;
    this.#caughtUp = caughtUp;
    this.wantsPreviews = provisional;
    this.#queue = new ThreadNewsQueue(limit >= 1 ? limit : 1);
    this.#spoiled = new Set(thread.previewed);
    const isNow = after === undefined || !thread.isKept || after === thread.cursor;
    const claimed = isNow ? { place: thread.place } : parseAfterPlace(after);
    if (claimed === undefined) throw new RangeError(`${JSON.stringify(after)} is no ordinal or cursor of a thread.`);
    this.#taken = { place: claimed.place, count: 0 };
    if (isNow) queueMicrotask(caughtUp);
    else this.#behind = { after: claimed.place, skip: 0 };
    if (!isNow && claimed.place >= 0) this.#claimed = claimed;
  }

  async #prove(claimed: ClaimedPlace): Promise<void> {
    const { store, id } = this.#thread;
    const found = await lastValidPlace(store, id, claimed);
    // The thread was rewound, or the follower stopped, or another call has checked.
    if (this.#claimed !== claimed) return;
    this.#claimed = undefined;
    const standing = claimed.place > this.#thread.place && found === claimed.place ? -1 : found;
    if (standing < claimed.place) this.rewound(standing);
  }

  durable(news: readonly FollowerNews[]): void {
    if (this.#isOver) return;
    for (const { news: each, placed } of news) {
      if (this.#behind === undefined) this.#add(each, placed);
      else if (placed === undefined) this.#missed.passing++;
    }
    this.#added();
  }

  #add(news: LiveNews, placed: PlacedNews | undefined): void {
    this.#queue.add(news, placed);
    if (placed === undefined || news.kind !== 'recorded' || news.event.kind !== 'item-completed') return;
    this.#queue.complete(news.event.item.id);
    this.#spoiled.delete(news.event.item.id);
  }

  preview(event: ProvisionalEvent): void {
    if (this.#isOver || !this.wantsPreviews) return;
    if (event.kind === 'dropped') {
      this.#queue.forget(event.itemId);
      this.#spoiled.delete(event.itemId);
      // A follower that saw no preview of the item need not know. One that fell behind was told `dropped` then.
      if (this.#begun.delete(event.itemId)) this.#queue.add({ kind: 'preview', event });
    } else if (this.#behind !== undefined || this.#spoiled.has(event.itemId)) this.#missed.previews++;
    else this.#queue.preview(event);
    this.#added();
  }

  #added(): void {
    if (this.#behind === undefined && this.#queue.isFull) this.#fallBehind(this.#thread.state);
    this.#wake?.resolve();
    this.#wake = undefined;
  }

  /** Drops the queue. Reading begins with the first recorded news that was in it, or else after `state`. */
  #fallBehind(state: RecordedState): void {
    const gone = this.#queue.clear();
    this.#count(gone.filter(({ placed }) => placed === undefined || !this.#thread.isKept));
    const first = gone.find(({ placed }) => placed !== undefined)?.placed;
    const next = { after: placeOfState(state), skip: 0, state };
    const back = first && { after: placeOfState(first.before), skip: first.index, state: first.before };
    this.#leaveLive(this.#thread.isKept ? (back ?? next) : next);
  }

  #count(gone: readonly { readonly news: LiveNews | undefined; readonly pieces: number }[]): void {
    for (const { news, pieces } of gone) {
      if (news?.kind === 'preview') this.#missed.previews += pieces;
      else this.#missed.passing++;
    }
  }

  #leaveLive(place: ReadingPlace): void {
    this.#behind = place;
    for (const [itemId, turnId] of this.#begun)
      this.#first.push({ kind: 'preview', event: { provisional: true, kind: 'dropped', turnId, itemId } });
    this.#begun.clear();
  }

  /** Called when another program has written lines after `state` that followers were not given. */
  fellBehind(state: RecordedState): void {
    if (this.#behind === undefined) this.#fallBehind(state);
    this.#added();
  }

  rewound(to: number): void {
    this.#count(this.#queue.clear().filter(({ placed }) => placed === undefined));
    this.#stopReading();
    this.#claimed = undefined;
    const { place, count } = this.#taken;
    const isAhead = place > to;
    if (isAhead) {
      this.#first.push({ kind: 'rewound', to: to as Ordinal });
      this.#taken = { place: to, count: 0 };
    }
    const isInside = !isAhead && count > 0;
    this.#leaveLive(isInside ? { after: place - 1, skip: count } : { after: Math.min(place, to), skip: 0 });
    this.#added();
  }

  /** No more news. Queued news can still be taken, then the reason. */
  end(because?: Outcome): void {
    this.#isOver = true;
    this.#ended = because;
    this.#added();
  }

  stop(): void {
    this.#queue.clear();
    this.#first.length = 0;
    this.#behind = undefined;
    this.#claimed = undefined;
    this.#stopReading();
    this.end();
  }

  #stopReading(): void {
    // The generator may have a file open.
    void this.#reading?.return().catch(() => {});
    this.#reading = undefined;
  }

  async next(): Promise<LiveNews | undefined> {
    for (;;) {
      const first = this.#first.shift();
      if (first !== undefined) return first;
      if (this.#claimed !== undefined) await this.#prove(this.#claimed);
      else if (this.#behind !== undefined) {
        const news = await this.#readOn(this.#behind);
        if (news !== undefined) return news;
      } else {
        const slot = this.#queue.take();
        if (slot?.news !== undefined) return this.#took(slot.news, slot.placed);
        if (this.#isOver) {
          const outcome = this.#ended;
          this.#ended = undefined;
          return outcome && { kind: 'ended', outcome };
        }
        await (this.#wake ??= Promise.withResolvers<void>()).promise;
      }
    }
  }

  #took(news: LiveNews, placed: PlacedNews | undefined): LiveNews {
    if (placed !== undefined) this.#taken = { place: placed.place, count: placed.index + 1 };
    if (news.kind === 'preview' && news.event.kind !== 'dropped') this.#begun.set(news.event.itemId, news.event.turnId);
    if (news.kind !== 'recorded' || news.event.kind !== 'item-completed') return news;
    this.#begun.delete(news.event.item.id);
    // A follower gets `missed` before the completed item.
    const missed = this.#takeMissed();
    if (missed === undefined) return news;
    this.#first.unshift(news);
    return missed;
  }

  /** Returns the next news from the rollout, or undefined if the caller must look again. */
  async #readOn(behind: ReadingPlace): Promise<LiveNews | undefined> {
    const reading = (this.#reading ??= this.#read(behind));
    const { done, value: placed } = await reading.next();
    if (this.#reading !== reading) return undefined;
    if (done === true) return (this.#reading = undefined);
    if (placed.news.kind === 'event') return this.#took(recordedNews(placed, placed.news.event), placed);
    const { store, id } = this.#thread;
    const to = await placeBeforeRollback(store, id, placed.place);
    if (this.#reading !== reading || to === undefined) return undefined;
    return this.#took({ kind: 'rewound', to: to as Ordinal }, placed);
  }

  async *#read({ after, skip, state: known }: ReadingPlace): AsyncGenerator<PlacedNews, void> {
    const { store, id } = this.#thread;
    let state = known ?? (await readRecordedState(store, id, after));
    let left = skip;
    while (placeOfState(state) < this.#thread.place && this.#thread.isKept) {
      const to = this.#thread.place;
      const range = { from: (placeOfState(state) + 1) as Ordinal, to: (to + 1) as Ordinal };
      for await (const line of store.read(id, range)) {
        const read = newsOf(state, line);
        state = read.state;
        yield* read.placed.slice(left);
        left = 0;
      }
      // Unreadable lines have a place, too.
      if (placeOfState(state) < to) state = { ...state, turns: { ...state.turns, place: to } };
    }
    this.#goLive();
  }

  #goLive(): void {
    this.#caughtUp();
    this.#behind = undefined;
    this.#spoiled = new Set(this.#thread.previewed);
    const missed = this.#takeMissed();
    if (missed !== undefined) this.#first.push(missed);
  }

  #takeMissed(): LiveNews | undefined {
    const { passing, previews } = this.#missed;
    this.#missed = { passing: 0, previews: 0 };
    return passing > 0 || previews > 0 ? { kind: 'missed', passing, previews } : undefined;
  }
}
