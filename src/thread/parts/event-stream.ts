import type { ProvisionalEvent } from '../../protocol/provisional-event.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { ThreadSubscriber } from './subscribers.ts';

/** What happens in a thread, as one sequence. */
export type ThreadNews = ThreadEvent | ProvisionalEvent;

/**
 * The news of a thread at the reader's own pace. What happened waits in order. Previews that wait are joined per item,
 * so that a slow reader gets longer pieces and no holes; when an item is complete or dropped, those of it that still
 * wait are taken away.
 */
export class EventStream implements ThreadSubscriber {
  readonly #waiting: { news: ThreadNews | undefined }[] = [];
  /** Of previews that wait, by item and kind. */
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
    const key = keyOf(event);
    const slot = this.#pieces.get(key);
    if (slot === undefined) this.#pieces.set(key, this.#add(event));
    else slot.news = { ...event, text: (slot.news as typeof event).text + event.text };
  }

  ended(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The next of them; undefined when the thread is closed, or the reader has stopped, and nothing waits any more. */
  async next(): Promise<ThreadNews | undefined> {
    for (;;) {
      const slot = this.#waiting.shift();
      if (slot?.news !== undefined) {
        if ('provisional' in slot.news) this.#pieces.delete(keyOf(slot.news));
        return slot.news;
      }
      if (slot === undefined && this.#isOver) return undefined;
      if (slot === undefined) await this.#more.promise;
    }
  }

  /** The reader stops: what waits is let go. */
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

function keyOf(event: ProvisionalEvent): string {
  return `${event.itemId}\n${event.kind}${event.kind === 'reasoning' ? ` ${event.part}` : ''}`;
}

/** Reads them until their end. Stopping early, also while one is waited for, calls `leave`. */
export function readEvents(stream: EventStream, leave: () => void): AsyncIterableIterator<ThreadNews> {
  return {
    async next() {
      const value = await stream.next();
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    },
    return() {
      leave();
      stream.stop();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
