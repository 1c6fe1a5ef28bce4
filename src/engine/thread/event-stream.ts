import { defined } from '../../base/objects.ts';
import { deepFreeze } from '../../core/envelope/envelope.ts';
import { functionOption, objectWithMethods, type OptionTable } from '../../core/envelope/read-options.ts';
import type { Line } from '../../protocol/line.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../protocol/thread-event.ts';

export type ThreadNews = ThreadEvent | ProvisionalEvent;

/**
 * The news of a thread at the reader's own pace, in order. Waiting previews are joined per item, so a slow reader gets
 * longer pieces; when an item is complete or dropped, they are removed.
 */
export class EventStream implements ThreadSubscriber {
  readonly #waiting: { news: ThreadNews | undefined }[] = [];
  readonly #pieces = new Map<string, { news: ThreadNews | undefined }>();
  #more = Promise.withResolvers<void>();
  #isOver = false;

  event(event: ThreadEvent): void {
    if (event.kind === 'item-completed') this.#forget(event.item.id);
    this.#add(event);
  }

  provisional(event: ProvisionalEvent): void {
    if (event.kind === 'dropped') {
      this.#forget(event.itemId);
      this.#add(event);
      return;
    }
    const key = previewKey(event);
    const slot = this.#pieces.get(key);
    if (slot === undefined) this.#pieces.set(key, this.#add(event));
    else slot.news = { ...event, text: (slot.news as typeof event).text + event.text };
  }

  ended(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Undefined when the thread is closed, or the reader has stopped, and nothing waits any more. */
  async next(): Promise<ThreadNews | undefined> {
    for (;;) {
      const slot = this.#waiting.shift();
      if (slot?.news !== undefined) {
        if ('provisional' in slot.news) this.#pieces.delete(previewKey(slot.news));
        return slot.news;
      }
      if (slot === undefined && this.#isOver) return undefined;
      if (slot === undefined) await this.#more.promise;
    }
  }

  /** Drops what still waits. */
  stop(): void {
    this.#waiting.length = 0;
    this.#pieces.clear();
    this.ended();
  }

  /** Several calls of `next` may wait at the same time. */
  #wake(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers<void>();
  }

  #add(news: ThreadNews): { news: ThreadNews | undefined } {
    const slot = { news };
    if (!this.#isOver) this.#waiting.push(slot);
    this.#wake();
    return slot;
  }

  #forget(itemId: string): void {
    for (const [key, slot] of this.#pieces) {
      if (!key.startsWith(`${itemId}\n`)) continue;
      slot.news = undefined;
      this.#pieces.delete(key);
    }
  }
}

/** Names the pieces that make up one text of an item. */
export function previewKey(event: ProvisionalEvent): string {
  return `${event.itemId}\n${event.kind}${event.kind === 'reasoning' ? ` ${event.part}` : ''}`;
}

/** Iterates until `take` gives nothing more. An early return, also while waiting, calls `leave`, and so does the end. */
export function iterate<News>(take: () => Promise<News | undefined>, leave: () => void): AsyncIterableIterator<News> {
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
export interface LineSubscriber extends ThreadSubscriber {
  durable?(news: readonly LogNews[]): void;
}

export const subscribing = {
  subscriber: {
    type: objectWithMethods<LineSubscriber>('an object with event, provisional or ended', {
      event: { type: functionOption(), about: 'What happened.' },
      provisional: { type: functionOption(), about: 'Items that are still arriving.' },
      ended: { type: functionOption(), about: 'The thread was closed.' },
      durable: { type: functionOption(), about: 'Lines beside the events.' },
    }),
    about: 'Who follows the thread.',
    required: true,
  },
} as const satisfies OptionTable<{ readonly subscriber: LineSubscriber }>;

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
    if (event !== undefined || provisional !== undefined) this.add(defined({ event, provisional }));
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
    return [...this.#all].some(({ provisional }) => provisional !== undefined);
  }
  /** Items of which a part was previewed and whose end was not sent. */
  get previewed(): Iterable<string> {
    return this.#open.keys();
  }

  get wantLines(): boolean {
    for (const { durable } of this.#all) if (durable !== undefined) return true;
    return false;
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
    const now = Array.from(this.#all);
    for (const subscriber of now) if (this.#all.has(subscriber)) send(subscriber);
  }

  /** Drops items that were begun and will not be completed. */
  drop(isLost: (itemId: string) => boolean = () => true): void {
    for (const [itemId, turnId] of new Map(this.#open)) {
      if (isLost(itemId)) this.preview({ provisional: true, kind: 'dropped', turnId, itemId });
    }
  }
}

function bound(subscriber: LineSubscriber): LineSubscriber {
  return defined({
    event: subscriber.event?.bind(subscriber),
    provisional: subscriber.provisional?.bind(subscriber),
    ended: subscriber.ended?.bind(subscriber),
    durable: subscriber.durable?.bind(subscriber),
  });
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
