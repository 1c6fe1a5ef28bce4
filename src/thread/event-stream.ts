import type { ProvisionalEvent } from '../protocol/provisional-event.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
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
  #wake: () => void = () => {};
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

  /** Until the thread is closed. To be read once. */
  async *read(): AsyncGenerator<ThreadNews> {
    for (;;) {
      const slot = this.#waiting.shift();
      if (slot?.news !== undefined) {
        if ('provisional' in slot.news) this.#pieces.delete(keyOf(slot.news));
        yield slot.news;
      } else if (slot === undefined && this.#isOver) return;
      else if (slot === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #add(news: ThreadNews): { news: ThreadNews | undefined } {
    const slot = { news };
    this.#waiting.push(slot);
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
