import type { Ordinal } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ProvisionalEvent } from '../../../protocol/provisional-event.ts';
import { placeOf, type RecordedState } from '../../../state/recorded-events.ts';
import type { FollowedThread } from './followed-thread.ts';
import { FollowerQueue } from './follower-queue.ts';
import type { FollowOptions, LiveNews } from './live-thread.ts';
import { type ClaimedPlace, readAfter, standingPlace } from './place-cursor.ts';
import type { HandedNews } from './hand-out.ts';
import { newsOf, type PlacedNews, recorded, recordedAt, takenBackAt } from './recorded-past.ts';

/** Where a follower goes on reading: behind this place, or inside of its line. `state`: of the lines up to there. */
interface ReadingPlace {
  readonly after: number;
  /** So many news of the next line have been taken. */
  readonly skip: number;
  readonly state?: RecordedState;
}

const defaultLimit = 1000;

/**
 * One who follows a thread, at its own pace. *Live*, it is handed what happens, through a bounded queue. When that is
 * full it falls *behind*: the queue is let go, and it reads the same from the rollout until it has caught up.
 */
export class Follower {
  readonly #thread: FollowedThread;
  readonly wantsPreviews: boolean;
  readonly #queue: FollowerQueue;
  /** Before all else that waits. */
  readonly #first: LiveNews[] = [];
  #behind: ReadingPlace | undefined;
  #reading: AsyncGenerator<PlacedNews, void> | undefined;
  /** The place of the newest recorded news that was taken, and how many of its line were. */
  #taken: { readonly place: number; readonly count: number };
  #missed = { passing: 0, previews: 0 };
  /** Items of which the follower has seen a piece. */
  readonly #begun = new Map<string, ProvisionalEvent['turnId']>();
  /** Items of which it has not seen the first piece: it sees none. */
  #spoiled: Set<string>;
  /** Where it wants to continue, until it is known whether that place still stands. */
  #claimed: ClaimedPlace | undefined;
  #wake: PromiseWithResolvers<void> | undefined;
  #isOver = false;
  readonly #caughtUp: () => void;
  /** Why, if the follower does not know it by itself. */
  #ended: Outcome | undefined;

  constructor(
    thread: FollowedThread,
    { after, provisional = true, limit = defaultLimit, caughtUp = () => {} }: FollowOptions,
  ) {
    this.#thread = thread;
    this.#caughtUp = caughtUp;
    this.wantsPreviews = provisional;
    this.#queue = new FollowerQueue(limit >= 1 ? limit : 1);
    this.#spoiled = new Set(thread.previewed);
    const isNow = after === undefined || !thread.isKept || after === thread.cursor;
    const claimed = isNow ? { place: thread.place } : readAfter(after);
    if (claimed === undefined) throw new RangeError(`${JSON.stringify(after)} is no ordinal or cursor of a thread.`);
    this.#taken = { place: claimed.place, count: 0 };
    if (isNow) return;
    this.#behind = { after: claimed.place, skip: 0 };
    if (claimed.place >= 0) this.#claimed = claimed;
  }

  /** Looks whether the place is still there from which the follower wants to continue. */
  async #prove(claimed: ClaimedPlace): Promise<void> {
    const { store, id } = this.#thread;
    const found = await standingPlace(store, id, claimed);
    // It was rewound meanwhile, or stopped, or another call has looked.
    if (this.#claimed !== claimed) return;
    this.#claimed = undefined;
    const standing = claimed.place > this.#thread.place && found === claimed.place ? -1 : found;
    if (standing < claimed.place) this.rewound(standing);
  }

  /** What became durable at one time. */
  durable(news: readonly HandedNews[]): void {
    if (this.#isOver) return;
    for (const each of news) {
      if (each.placed === undefined) this.#passing(each.news);
      else if (this.#behind === undefined) this.#recorded(each.news, each.placed);
    }
    this.#added();
  }

  #recorded(news: LiveNews, placed: PlacedNews): void {
    this.#queue.add(news, placed);
    if (news.kind === 'recorded' && news.event.kind === 'item-completed') this.#complete(news.event.item.id);
  }

  #passing(news: LiveNews): void {
    if (this.#behind === undefined) this.#queue.add(news);
    else this.#missed.passing++;
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
    const wasSeen = this.#begun.delete(event.itemId);
    this.#spoiled.delete(event.itemId);
    // One who saw no piece of it need not know, and one who fell behind got `missed`.
    if (wasSeen) this.#queue.add({ kind: 'preview', event });
  }

  #complete(itemId: string): void {
    this.#queue.complete(itemId);
    this.#spoiled.delete(itemId);
  }

  #added(): void {
    if (this.#behind === undefined && this.#queue.isFull) this.#fallBehind(this.#thread.state);
    this.#wake?.resolve();
    this.#wake = undefined;
  }

  /** What waits is let go. Of the recorded ones, reading begins with the first; if there are none, behind `state`. */
  #fallBehind(state: RecordedState): void {
    const gone = this.#queue.clear();
    this.#count(gone.filter(({ placed }) => placed === undefined || !this.#thread.isKept));
    const first = gone.find(({ placed }) => placed !== undefined)?.placed;
    const next = { after: placeOf(state), skip: 0, state };
    const back = first && { after: placeOf(first.before), skip: first.index, state: first.before };
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

  /** Lines came in behind `state` that were not handed out, written by another program. */
  fellBehind(state: RecordedState): void {
    if (this.#behind === undefined) this.#fallBehind(state);
    this.#added();
  }

  /** What stands behind this place was taken back. */
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

  /** Nothing more comes. What waits can still be taken, and then the reason. */
  end(because?: Outcome): void {
    this.#isOver = true;
    this.#ended = because;
    this.#added();
  }

  /** The follower leaves. */
  stop(): void {
    this.#queue.clear();
    this.#first.length = 0;
    this.#behind = undefined;
    this.#claimed = undefined;
    this.#stopReading();
    this.end();
  }

  #stopReading(): void {
    // A file may be open in it.
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
      if (this.#isOver) return this.#takeEnd();
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
    // What it misses of an item it knows before the item.
    const missed = this.#takeMissed();
    if (missed === undefined) return news;
    this.#first.unshift(news);
    return missed;
  }

  /** The next news out of the rollout; undefined: there was none, and what comes next is to be seen. */
  async #readOn(): Promise<LiveNews | undefined> {
    const reading = (this.#reading ??= this.#read(this.#behind!));
    const next = await reading.next();
    // It was rewound meanwhile, or stopped.
    if (this.#reading !== reading) return undefined;
    if (next.done === true) {
      this.#reading = undefined;
      return undefined;
    }
    const { value: placed } = next;
    if (placed.news.kind === 'event') return this.#took(recorded(placed, placed.news.event), placed);
    const { store, id } = this.#thread;
    const to = await takenBackAt(store, id, placed.place);
    if (this.#reading !== reading || to === undefined) return undefined;
    return this.#took({ kind: 'rewound', to: to as Ordinal }, placed);
  }

  /** Reads until nothing is left, and is live again with the last of it. */
  async *#read({ after, skip, state: known }: ReadingPlace): AsyncGenerator<PlacedNews, void> {
    const { store, id } = this.#thread;
    let state = known ?? (await recordedAt(store, id, after));
    let left = skip;
    while (placeOf(state) < this.#thread.place && this.#thread.isKept) {
      const to = this.#thread.place;
      for await (const line of store.read(id, { from: (placeOf(state) + 1) as Ordinal, to: (to + 1) as Ordinal })) {
        const read = newsOf(state, line);
        state = read.state;
        yield* read.placed.slice(left);
        left = 0;
      }
      // Lines that do not read have a place, too.
      if (placeOf(state) < to) state = { ...state, turns: { ...state.turns, place: to } };
    }
    this.#goLive();
  }

  #goLive(): void {
    this.#behind = undefined;
    this.#spoiled = new Set(this.#thread.previewed);
    const missed = this.#takeMissed();
    if (missed !== undefined) this.#first.push(missed);
    this.#caughtUp();
  }

  #takeEnd(): LiveNews | undefined {
    const outcome = this.#ended;
    this.#ended = undefined;
    return outcome && { kind: 'ended', outcome };
  }

  #takeMissed(): LiveNews | undefined {
    const { passing, previews } = this.#missed;
    this.#missed = { passing: 0, previews: 0 };
    return passing > 0 || previews > 0 ? { kind: 'missed', passing, previews } : undefined;
  }
}
