import { type AfterPlace, type LineCursor, parseAfterPlace } from '../../../engine/live/line-cursor.ts';
import type { LiveNews, LiveThread } from '../../../engine/live/live-thread-types.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { newsFields } from './event-fields.ts';
import type { ClientPort } from './server-interface.ts';

export type FormatNews = (
  news: LiveNews,
  thread: LiveThread,
  call: { readonly requestId?: RequestName },
) => readonly { readonly method: string; readonly params: JsonObject }[];

type RequestName = string | number;

export const formatTypedEvents: FormatNews = (news, { id }) => {
  const ordinal = news.kind === 'recorded' ? { ordinal: news.ordinal, cursor: news.cursor } : {};
  return [{ method: 'notifications/capstan/event', params: { threadId: id, ...ordinal, event: newsFields(news) } }];
};

export interface ClientListening {
  /** Resolves when the client was sent such an event since it began to listen, or after a while. */
  sent(isMeant: (event: ThreadEvent) => boolean): Promise<void>;
  end(): void;
}

export interface ListenOptions {
  readonly form?: FormatNews;
  /** For a form whose events name their call: then each call gets its own events. */
  readonly requestId?: RequestName;
  /** Events recorded after this place are sent first. Absent: only new ones. */
  readonly after?: AfterPlace;
}

const patienceMs = 2000;

/** Sends each event once to each client, at its pace. A client misses nothing that is recorded. */
export class ClientListeners {
  /** By thread, client and form. */
  readonly #open = new Map<string, Listener>();
  /** A number for each form, since some forms are made for one call. */
  readonly #forms = new WeakMap<FormatNews, number>();
  #formCount = 0;
  /** The last place of a thread that Capstan sent to each connection; listening from an older place repeats nothing. */
  readonly #places = new WeakMap<AbortSignal, Map<string, LineCursor>>();

  /** Listens until ended, or until the client is gone. */
  add(thread: LiveThread, client: ClientPort, options: ListenOptions = {}): ClientListening {
    const { form = formatTypedEvents, requestId } = options;
    if (!this.#forms.has(form)) this.#forms.set(form, this.#formCount++);
    const key = `${thread.id} ${this.#forms.get(form)} ${client.id} ${JSON.stringify(requestId ?? null)}`;
    const listener = this.#open.get(key) ?? this.#follow(thread, client, key, { ...options, form });
    this.#open.set(key, listener);
    listener.reasons++;
    let isOver = false;
    const end = (): void => {
      client.gone.removeEventListener('abort', end);
      const isLast = !isOver && --listener.reasons <= 0;
      isOver = true;
      if (!isLast) return;
      listener.close();
      if (this.#open.get(key) === listener) this.#open.delete(key);
    };
    client.gone.addEventListener('abort', end, { once: true });
    if (client.gone.aborted) end();
    return { sent: (isMeant) => listener.sent(isMeant), end };
  }

  #follow(thread: LiveThread, client: ClientPort, key: string, options: FollowedForm): Listener {
    const { form, after, requestId } = options;
    const places = this.#places.get(client.gone) ?? new Map<string, LineCursor>();
    this.#places.set(client.gone, places);
    const sent = places.get(key);
    const from = after !== undefined && sent !== undefined && placeIn(sent) > placeIn(after) ? sent : after;
    const noted: FormatNews = (news, of) => {
      if (news.kind === 'recorded') places.set(key, news.cursor);
      return form(news, of, { requestId });
    };
    return new Listener(thread, client, { form: noted, after: from });
  }

  close(): void {
    for (const listener of this.#open.values()) listener.close();
    this.#open.clear();
  }
}

type FollowedForm = ListenOptions & { readonly form: FormatNews };
/** The number of sent events to remember: a call may ask about recent ones. */
const remembered = 200;

class Listener {
  reasons = 0;
  readonly #client: ClientPort;
  readonly #closing = new AbortController();
  readonly #sent: ThreadEvent[] = [];
  readonly #waiting = new Set<(event: ThreadEvent) => void>();

  constructor(thread: LiveThread, client: ClientPort, options: FollowedForm) {
    this.#client = client;
    void this.#follow(thread, options).catch(() => {
      // The thread was lost. Calls that wait for it get the thread's own report.
    });
  }

  close(): void {
    this.#closing.abort();
  }

  async sent(isMeant: (event: ThreadEvent) => boolean): Promise<void> {
    if (this.#closing.signal.aborted || this.#sent.some(isMeant)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs).unref();
    const look = (event: ThreadEvent): void => void (isMeant(event) && resolve());
    this.#waiting.add(look);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(look);
  }

  async #follow(thread: LiveThread, { form, after }: FollowedForm): Promise<void> {
    const { signal } = this.#closing;
    for await (const news of thread.follow({ signal, after })) {
      if (signal.aborted) return;
      for (const { method, params } of form(news, thread, {})) this.#client.notify(method, params);
      const event = threadEventIn(news);
      if (event !== undefined) {
        this.#sent.push(event);
        if (this.#sent.length > remembered) this.#sent.shift();
        for (const look of this.#waiting) look(event);
      }
      await this.#client.ready();
    }
  }
}

const placeIn = (after: AfterPlace): number => parseAfterPlace(after)?.place ?? -1;
type Reader = (news: LiveNews) => void;

/**
 * News for all readers of the server: a thread with readers is followed once. Readers are called in order and
 * synchronously, so what one has seen was already sent to the clients of earlier ones.
 */
export class ThreadFeeds {
  readonly #feeds = new Map<string, Feed>();

  /** Reads until the returned function is called. A reader must not throw. */
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
    // Requested synchronously, so that everything after this call is included.
    const news = thread.follow({ signal: feed.closing.signal })[Symbol.asyncIterator]();
    void pass(news, feed).finally(() => {
      if (this.#feeds.get(thread.id) === feed) this.#feeds.delete(thread.id);
    });
    return feed;
  }
}

type Feed = { readonly readers: Set<Reader>; readonly closing: AbortController };

async function pass(news: AsyncIterator<LiveNews>, { readers, closing }: Feed): Promise<void> {
  try {
    for (;;) {
      const next = await news.next();
      if (next.done === true || closing.signal.aborted) return;
      for (const reader of readers) reader(next.value);
    }
  } catch {
    // The thread was lost. The calls that wait for it learn that from the thread itself.
  }
}

export const threadEventIn = (news: LiveNews): ThreadEvent | undefined =>
  news.kind === 'recorded' || news.kind === 'passing' ? news.event : undefined;
