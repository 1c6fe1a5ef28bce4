import { placeOf, type RecordedState } from '../../core/state/recorded/thread-events.ts';
import type { RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ProvisionalEvent } from '../../protocol/thread-event.ts';
import { type ClaimedPlace, lastValidPlace, type LineCursor, readAfter } from './line-cursor.ts';
import type { FollowOptions, LiveNews } from './live-thread-types.ts';
import { type FollowerNews, newsOf, type PlacedNews, recordedAt, recordedNews, takenBackAt } from './thread-news.ts';

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
  readonly #caughtUp: () => void;
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
  /** Why, if the follower does not know it by itself. */
  #ended: Outcome | undefined;

  constructor(thread: FollowedThread, options: FollowOptions) {
    const { after, provisional = true, limit = defaultLimit, caughtUp = () => {} } = options;
    this.#thread = thread;
    this.#caughtUp = caughtUp;
    this.wantsPreviews = provisional;
    this.#queue = new FollowerQueue(limit >= 1 ? limit : 1);
    this.#spoiled = new Set(thread.previewed);
    const isNow = after === undefined || !thread.isKept || after === thread.cursor;
    const claimed = isNow ? { place: thread.place } : readAfter(after);
    if (claimed === undefined) throw new RangeError(`${JSON.stringify(after)} is no ordinal or cursor of a thread.`);
    this.#taken = { place: claimed.place, count: 0 };
    if (isNow) {
      queueMicrotask(caughtUp);
      return;
    }
    this.#behind = { after: claimed.place, skip: 0 };
    if (claimed.place >= 0) this.#claimed = claimed;
  }

  /** Looks whether the place is still there from which the follower wants to continue. */
  async #prove(claimed: ClaimedPlace): Promise<void> {
    const { store, id } = this.#thread;
    const found = await lastValidPlace(store, id, claimed);
    // It was rewound meanwhile, or stopped, or another call has looked.
    if (this.#claimed !== claimed) return;
    this.#claimed = undefined;
    const standing = claimed.place > this.#thread.place && found === claimed.place ? -1 : found;
    if (standing < claimed.place) this.rewound(standing);
  }

  /** What became durable at one time. */
  durable(news: readonly FollowerNews[]): void {
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
    if (placed.news.kind === 'event') return this.#took(recordedNews(placed, placed.news.event), placed);
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
    this.#caughtUp();
    this.#behind = undefined;
    this.#spoiled = new Set(this.#thread.previewed);
    const missed = this.#takeMissed();
    if (missed !== undefined) this.#first.push(missed);
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

/** What a follower needs of the thread that it follows. */
export interface FollowedThread {
  readonly id: ThreadId;
  readonly store: RolloutStore;
  /** Of the newest line that is durable and was handed out. */
  readonly place: number;
  readonly cursor: LineCursor | undefined;
  /** What is recorded up to there. */
  readonly state: RecordedState;
  /** Items of which a preview was sent and that are not complete. */
  readonly previewed: Iterable<string>;
  /** Whether what is recorded can be read again: not so in a thread that leaves nothing on the disk. */
  readonly isKept: boolean;
}

/** News that waits for one follower. `placed`: of what is recorded, where it stands. */
export interface WaitingNews {
  news: LiveNews | undefined;
  readonly placed?: PlacedNews;
  /** How many previews it holds, joined. */
  pieces: number;
  weight: number;
}

/** What all that waits may weigh together, in characters. */
const mostWeight = 4_000_000;

/** The news for one follower, bounded. Previews that wait are joined; those of an item that will not come are taken away. */
class FollowerQueue {
  readonly #limit: number;
  #waiting: WaitingNews[] = [];
  /** The first that was not taken. */
  #head = 0;
  #weight = 0;
  readonly #pieces = new Map<string, WaitingNews>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#head === this.#waiting.length;
  }

  /** More than may wait. One event alone is never too much. */
  get isFull(): boolean {
    const count = this.#waiting.length - this.#head;
    return count > this.#limit || (this.#weight > mostWeight && (count > 1 || this.#pieces.size > 0));
  }

  add(news: LiveNews, placed?: PlacedNews): void {
    const slot: WaitingNews = { news, pieces: 0, weight: weightOf(news), ...(placed && { placed }) };
    this.#waiting.push(slot);
    this.#weight += slot.weight;
  }

  preview(event: Exclude<ProvisionalEvent, { kind: 'dropped' }>): void {
    const key = keyOf(event);
    const slot = this.#pieces.get(key);
    this.#weight += event.text.length;
    if (slot?.news?.kind === 'preview' && slot.news.event.kind !== 'dropped') {
      slot.news = { kind: 'preview', event: { ...event, text: slot.news.event.text + event.text } };
      slot.pieces++;
      slot.weight += event.text.length;
      return;
    }
    const added: WaitingNews = { news: { kind: 'preview', event }, pieces: 1, weight: event.text.length };
    this.#waiting.push(added);
    this.#pieces.set(key, added);
  }

  /** The item is there: what waits of its previews stands before it. */
  complete(itemId: string): void {
    for (const key of this.#pieces.keys()) if (key.startsWith(`${itemId}\n`)) this.#pieces.delete(key);
  }

  /** The item will not come. */
  forget(itemId: string): void {
    for (const [key, slot] of this.#pieces) {
      if (!key.startsWith(`${itemId}\n`)) continue;
      slot.news = undefined;
      this.#weight -= slot.weight;
      this.#pieces.delete(key);
    }
  }

  take(): WaitingNews | undefined {
    while (this.#head < this.#waiting.length) {
      const slot = this.#waiting[this.#head++]!;
      if (this.#head > 512 && this.#head * 2 > this.#waiting.length) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      if (slot.news === undefined) continue;
      this.#weight -= slot.weight;
      if (slot.news.kind === 'preview' && slot.news.event.kind !== 'dropped')
        this.#pieces.delete(keyOf(slot.news.event));
      return slot;
    }
    return undefined;
  }

  /** Lets all go that waits, and gives it back. */
  clear(): readonly WaitingNews[] {
    const gone = this.#waiting.slice(this.#head).filter(({ news }) => news !== undefined);
    this.#waiting = [];
    this.#head = 0;
    this.#weight = 0;
    this.#pieces.clear();
    return gone;
  }
}

function keyOf(event: ProvisionalEvent): string {
  return `${event.itemId}\n${event.kind}${event.kind === 'reasoning' ? ` ${event.part}` : ''}`;
}

/** Roughly: texts are what grows. */
function weightOf(news: LiveNews): number {
  if (news.kind !== 'recorded' && news.kind !== 'passing') return 100;
  const { event } = news;
  if (event.kind === 'context') return 300 + event.text.length;
  const item = 'item' in event ? event.item : undefined;
  const texts = item === undefined ? [] : Object.values(item).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + text.length, 300);
}

export function createFollower(thread: FollowedThread, options: FollowOptions): Follower {
  return new Follower(thread, options);
}

/** Reads them until their end. Leaving early, also while one is waited for, calls `leave`. */
export function readNews(follower: Follower, leave: () => void): AsyncIterableIterator<LiveNews> {
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
