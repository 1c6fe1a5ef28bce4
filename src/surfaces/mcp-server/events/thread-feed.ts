import type { LiveNews, LiveThread } from '../../engine/live/live-thread.ts';

type Reader = (news: LiveNews) => void;

/**
 * The news of live threads for all readers of the server: each thread is followed once, as long as there is a reader.
 * Readers are called in order and at once, so what one of them has seen has been sent to the clients of the others that
 * came before it.
 */
export class ThreadFeeds {
  readonly #feeds = new Map<string, Feed>();

  /** Until the function that it gives is called. A reader must not throw. */
  read(thread: LiveThread, reader: Reader): () => void {
    const feed = this.#feeds.get(thread.id) ?? this.#open(thread);
    feed.readers.add(reader);
    return () => {
      feed.readers.delete(reader);
      if (feed.readers.size > 0 || this.#feeds.get(thread.id) !== feed) return;
      this.#feeds.delete(thread.id);
      feed.closing.abort();
    };
  }

  close(): void {
    for (const { closing } of this.#feeds.values()) closing.abort();
    this.#feeds.clear();
  }

  #open(thread: LiveThread): Feed {
    const feed: Feed = { readers: new Set(), closing: new AbortController() };
    this.#feeds.set(thread.id, feed);
    // Asked for at once: what happens after this call is in it.
    const news = thread.follow({ signal: feed.closing.signal })[Symbol.asyncIterator]();
    void pass(news, feed).finally(() => {
      if (this.#feeds.get(thread.id) === feed) this.#feeds.delete(thread.id);
    });
    return feed;
  }
}

interface Feed {
  readonly readers: Set<Reader>;
  readonly closing: AbortController;
}

async function pass(news: AsyncIterator<LiveNews>, { readers, closing }: Feed): Promise<void> {
  try {
    for (;;) {
      const next = await news.next();
      if (next.done === true || closing.signal.aborted) return;
      for (const reader of readers) reader(next.value);
    }
  } catch {
    // The thread was lost. The calls that wait for it are answered by what they asked of it.
  }
}
