import { placeOfState, type RecordedState } from '../../core/state/recorded/thread-events.ts';
import type { RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ProvisionalEvent } from '../../protocol/thread-event.ts';
import { type ClaimedPlace, lastValidPlace, type LineCursor, parseAfterPlace } from './line-cursor.ts';
import { NewsQueue } from '../thread/event-stream.ts';
import type { FollowOptions, LiveNews } from './live-thread-types.ts';
import {
  type FollowerNews,
  newsOf,
  type PlacedNews,
  readRecordedState,
  recordedNews,
  placeBeforeRollback,
} from './thread-news.ts';

/** A follower reads on after line `after`, without the first `skip` news of the next line. `state`: up to `after`. */
type ReadingPlace = { readonly after: number; readonly skip: number; readonly state?: RecordedState };

/**
 * A follower of a thread, at its own pace. *Live*, it gets news through a bounded queue. When that is full it falls
 * *behind*: the queue is dropped, and it reads the same news from the rollout until it has caught up.
 */
export class Follower {
  readonly #thread: FollowedThread;
  readonly wantsPreviews: boolean;
  readonly #queue: NewsQueue;
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

  constructor(thread: FollowedThread, options: FollowOptions) {
    const { after, provisional = true, limit = 1000, caughtUp = () => {} } = options;
    this.#thread = thread;
    this.#caughtUp = caughtUp;
    this.wantsPreviews = provisional;
    this.#queue = new NewsQueue(limit >= 1 ? limit : 1);
    this.#spoiled = new Set(thread.previewed);
    const isNow = after === undefined || !thread.isKept || after === thread.cursor;
    const claimed = isNow ? { place: thread.place } : parseAfterPlace(after);
    if (claimed === undefined) throw new RangeError(`${JSON.stringify(after)} is no ordinal or cursor of a thread.`);
    this.#taken = { place: claimed.place, count: 0 };
    if (isNow) {
      queueMicrotask(caughtUp);
      return;
    }
    this.#behind = { after: claimed.place, skip: 0 };
    if (claimed.place >= 0) this.#claimed = claimed;
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
    if (event.kind === 'dropped') this.#drop(event);
    else if (this.#behind !== undefined || this.#spoiled.has(event.itemId)) this.#missed.previews++;
    else this.#queue.preview(event);
    this.#added();
  }

  #drop(event: ProvisionalEvent): void {
    this.#queue.forget(event.itemId);
    this.#spoiled.delete(event.itemId);
    // A follower that saw no preview of the item need not know. One that fell behind was told `dropped` at that moment.
    if (this.#begun.delete(event.itemId)) this.#queue.add({ kind: 'preview', event });
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
    for (const [itemId, turnId] of this.#begun) {
      this.#first.push({ kind: 'preview', event: { provisional: true, kind: 'dropped', turnId, itemId } });
    }
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
      if (this.#claimed !== undefined) {
        await this.#prove(this.#claimed);
        continue;
      }
      if (this.#behind !== undefined) {
        const news = await this.#readOn();
        if (news !== undefined) return news;
        continue;
      }
      const slot = this.#queue.take();
      if (slot?.news !== undefined) return this.#took(slot.news, slot.placed);
      if (this.#isOver) {
        const outcome = this.#ended;
        this.#ended = undefined;
        return outcome && { kind: 'ended', outcome };
      }
      this.#wake ??= Promise.withResolvers<void>();
      await this.#wake.promise;
    }
  }

  #took(news: LiveNews, placed: PlacedNews | undefined): LiveNews {
    if (placed !== undefined) this.#taken = { place: placed.place, count: placed.index + 1 };
    if (news.kind === 'preview' && news.event.kind !== 'dropped') {
      this.#begun.set(news.event.itemId, news.event.turnId);
    }
    if (news.kind !== 'recorded' || news.event.kind !== 'item-completed') return news;
    this.#begun.delete(news.event.item.id);
    // A follower gets `missed` before the completed item.
    const missed = this.#takeMissed();
    if (missed === undefined) return news;
    this.#first.unshift(news);
    return missed;
  }

  /** Returns the next news from the rollout, or undefined if the caller must look again. */
  async #readOn(): Promise<LiveNews | undefined> {
    const reading = (this.#reading ??= this.#read(this.#behind!));
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
      for await (const line of store.read(id, {
        from: (placeOfState(state) + 1) as Ordinal,
        to: (to + 1) as Ordinal,
      })) {
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

export interface FollowedThread {
  readonly id: ThreadId;
  readonly store: RolloutStore;
  /** Place of the newest line that is durable and was handed out. */
  readonly place: number;
  readonly cursor: LineCursor | undefined;
  readonly state: RecordedState;
  readonly previewed: Iterable<string>;
  /** False if recorded news cannot be read again, because the thread leaves nothing on disk. */
  readonly isKept: boolean;
}
