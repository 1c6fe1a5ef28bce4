import { deepFreeze } from '../../core/envelope/envelope.ts';
import { functionOption, objectWithMethods, type OptionReaders } from '../../core/envelope/read-options.ts';
import type { Line } from '../../protocol/line.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../protocol/thread-event.ts';
import type { LiveNews } from '../live/live-thread-types.ts';
import type { PlacedNews } from '../live/thread-news.ts';

export type ThreadNews = ThreadEvent | ProvisionalEvent;

/** The news of a thread at the reader's own pace. When an item is complete or dropped, its waiting previews are removed. */
export class EventStream implements ThreadSubscriber {
  readonly #queue = new ThreadNewsQueue();
  #more = Promise.withResolvers<void>();
  #isOver = false;

  event(event: ThreadEvent): void {
    if (event.kind === 'item-completed') this.#queue.forget(event.item.id);
    this.#queue.add({ kind: 'passing', event });
    this.#wake();
  }

  provisional(event: ProvisionalEvent): void {
    if (event.kind === 'dropped') {
      this.#queue.forget(event.itemId);
      this.#queue.add({ kind: 'preview', event });
    } else this.#queue.preview(event);
    this.#wake();
  }

  ended(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Undefined when the thread is closed, or the reader has stopped, and nothing waits any more. */
  async next(): Promise<ThreadNews | undefined> {
    for (;;) {
      const news = this.#queue.take()?.news;
      if (news !== undefined && 'event' in news) return news.event;
      if (this.#isOver) return undefined;
      await this.#more.promise;
    }
  }

  /** Drops what still waits. The caller has unsubscribed it. */
  stop(): void {
    this.#queue.clear();
    this.ended();
  }

  /** Several calls of `next` may wait at the same time. */
  #wake(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers<void>();
  }
}

/** News queued for one reader. `placed`: its place, if it is recorded. */
type WaitingNews = { news: LiveNews | undefined; readonly placed?: PlacedNews; pieces: number; weight: number };
/** Limit of the queue in characters. */
const mostWeight = 4_000_000;

/** News for one reader, in order. Previews that wait are joined per item, and removed if the item will not come. */
export class ThreadNewsQueue {
  readonly #limit: number;
  #waiting: WaitingNews[] = [];
  #head = 0;
  #weight = 0;
  readonly #pieces = new Map<string, WaitingNews>();

  constructor(limit = Infinity) {
    this.#limit = limit;
  }

  /** A single event is never too much. */
  get isFull(): boolean {
    const count = this.#waiting.length - this.#head;
    return count > this.#limit || (this.#weight > mostWeight && (count > 1 || this.#pieces.size > 0));
  }

  add(news: LiveNews, placed?: PlacedNews): void {
    const slot: WaitingNews = { news, pieces: 0, weight: weightOf(news), placed };
    this.#waiting.push(slot);
    this.#weight += slot.weight;
  }

  preview(event: Exclude<ProvisionalEvent, { kind: 'dropped' }>): void {
    const key = previewKey(event);
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

  /** Called when the item is queued: its waiting previews stay before it. */
  complete(itemId: string): void {
    for (const key of this.#pieces.keys()) if (key.startsWith(`${itemId}\n`)) this.#pieces.delete(key);
  }

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
      const isDrained = this.#head === this.#waiting.length;
      if (isDrained || (this.#head > 512 && this.#head * 2 > this.#waiting.length)) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      if (slot.news === undefined) continue;
      this.#weight -= slot.weight;
      if (slot.news.kind === 'preview' && slot.news.event.kind !== 'dropped')
        this.#pieces.delete(previewKey(slot.news.event));
      return slot;
    }
    return undefined;
  }

  clear(): readonly WaitingNews[] {
    const gone = this.#waiting.slice(this.#head).filter(({ news }) => news !== undefined);
    this.#waiting = [];
    this.#head = 0;
    this.#weight = 0;
    this.#pieces.clear();
    return gone;
  }
}

/** Approximate: counts only the texts, which are what grows. */
function weightOf(news: LiveNews): number {
  if (news.kind !== 'recorded' && news.kind !== 'passing') return 100;
  const { event } = news;
  if (event.kind === 'context') return 300 + event.text.length;
  const item = 'item' in event ? event.item : undefined;
  const texts = item === undefined ? [] : Object.values(item).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + text.length, 300);
}

/** Names the pieces that make up one text of an item. */
const previewKey = (event: ProvisionalEvent): string =>
  `${event.itemId}\n${event.kind}${event.kind === 'reasoning' ? ` ${event.part}` : ''}`;

/** Iterates until `take` gives nothing more. An early return, also while waiting, calls `leave`, and so does the end. */
export function iterateNews<News>(
  take: () => Promise<News | undefined>,
  leave: () => void,
): AsyncIterableIterator<News> {
  return {
    async next() {
      try {
        const value = await take();
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

/** Calls come one after the other and must not throw. */
export interface ThreadSubscriber {
  /** Durable events, in order. */
  event?(event: ThreadEvent): void;
  /** Items that are still arriving. A subscriber that ignores these misses nothing. */
  provisional?(event: ProvisionalEvent): void;
  ended?(): void;
}

/** A line or an event, in the order of occurrence. `isPassing`: no line records it. */
export type LogNews =
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'event'; readonly event: ThreadEvent; readonly isPassing?: true };

/** Gets lines beside events, one durable batch at a time. */
export type LineSubscriber = ThreadSubscriber & { durable?(news: readonly LogNews[]): void };

export const subscribeOptions = {
  subscriber: {
    type: objectWithMethods<LineSubscriber>('an object with event, provisional or ended', {
      event: { type: functionOption() },
      provisional: { type: functionOption() },
      ended: { type: functionOption() },
      durable: { type: functionOption() },
    }),
    required: true,
  },
} as const satisfies OptionReaders<{ readonly subscriber: LineSubscriber }>;

/** Follows a thread from its start or resumption. Must not throw. */
export interface FirstSubscriber {
  /** Durable events, in order. */
  readonly listener?: (event: ThreadEvent) => void;
  readonly provisional?: (event: ProvisionalEvent) => void;
}

export class Subscribers {
  readonly #all = new Set<LineSubscriber>();
  readonly #open = new Map<string, ProvisionalEvent['turnId']>();
  #isOver = false;

  constructor({ listener: event, provisional }: FirstSubscriber = {}) {
    if (event !== undefined || provisional !== undefined) this.add({ event, provisional });
  }

  /** Subscribes until the returned function is called. If the thread is closed already, `ended` is called at once. */
  add(subscriber: LineSubscriber): () => void {
    // A subscriber may be added twice and leave once.
    const own = bound(subscriber);
    if (this.#isOver) deliver(own.ended, undefined);
    else this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  get wantPreviews(): boolean {
    return this.#all.values().some(({ provisional }) => provisional !== undefined);
  }
  get wantLines(): boolean {
    return this.#all.values().some(({ durable }) => durable !== undefined);
  }
  /** Items of which a part was previewed and whose end was not sent. */
  get previewed(): Iterable<string> {
    return this.#open.keys();
  }

  tellAll(news: readonly LogNews[]): void {
    for (const each of news) if (each.kind === 'event') this.tell(each.event);
    this.#each(({ durable }) => deliver(durable, news));
  }

  tell(event: ThreadEvent): void {
    // The thread itself works with the same objects.
    deepFreeze(event);
    if (event.kind === 'item-completed') this.#open.delete(event.item.id);
    this.#each(({ event: tell }) => deliver(tell, event));
  }

  preview(event: ProvisionalEvent): void {
    if (event.kind === 'dropped') this.#open.delete(event.itemId);
    else this.#open.set(event.itemId, event.turnId);
    this.#each(({ provisional }) => deliver(provisional, event));
  }

  /** Drops items that were begun. */
  end(): void {
    this.drop();
    this.#isOver = true;
    this.#each(({ ended }) => deliver(ended, undefined));
    this.#all.clear();
  }

  /** Calls those subscribed now: one may come or leave in its callback. One that left gets nothing more. */
  #each(send: (subscriber: LineSubscriber) => void): void {
    for (const subscriber of Array.from(this.#all)) if (this.#all.has(subscriber)) send(subscriber);
  }

  /** Drops items that were begun and will not be completed. */
  drop(isLost: (itemId: string) => boolean = () => true): void {
    for (const [itemId, turnId] of new Map(this.#open))
      if (isLost(itemId)) this.preview({ provisional: true, kind: 'dropped', turnId, itemId });
  }
}

function bound(subscriber: LineSubscriber): LineSubscriber {
  return {
    event: subscriber.event?.bind(subscriber),
    provisional: subscriber.provisional?.bind(subscriber),
    ended: subscriber.ended?.bind(subscriber),
    durable: subscriber.durable?.bind(subscriber),
  };
}

/** A subscriber that throws is a fault of its program, not of the thread: what is on the disk stays. */
function deliver<Event>(to: ((event: Event) => void) | undefined, event: Event): void {
  try {
    to?.(event);
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}
