import type { JsonObject } from '../../../protocol/json.ts';
import type { LiveNews, LiveThread } from '../../engine/live/live-thread.ts';
import type { ClientPort } from '../server-tool.ts';
import { newsFields } from './event-fields.ts';
import type { ThreadFeeds } from './thread-feed.ts';

/** How a client is sent the news of a thread: a method and its parameters, or nothing. */
export type NewsForm = (
  news: LiveNews,
  thread: LiveThread,
) => readonly { readonly method: string; readonly params: JsonObject }[];

/** The method of typed events. */
export const eventMethod = 'notifications/capstan/event';

export const typedForm: NewsForm = (news, { id }) => {
  const ordinal = news.kind === 'recorded' ? { ordinal: news.ordinal } : {};
  return [{ method: eventMethod, params: { threadId: id, ...ordinal, event: newsFields(news) } }];
};

/** Which clients are sent the events of which threads: each event once, however many reasons a client has to get it. */
export class ClientListeners {
  readonly #feeds: ThreadFeeds;
  /** By thread, client and form. */
  readonly #open = new Map<string, { reasons: number; readonly end: () => void }>();
  readonly #forms = new Map<NewsForm, number>();

  constructor(feeds: ThreadFeeds) {
    this.#feeds = feeds;
  }

  /** Until the function that it gives is called, or the client is gone. */
  add(thread: LiveThread, client: ClientPort, form: NewsForm = typedForm): () => void {
    if (!this.#forms.has(form)) this.#forms.set(form, this.#forms.size);
    const key = `${thread.id} ${this.#forms.get(form)} ${client.id}`;
    const known = this.#open.get(key);
    if (known !== undefined) known.reasons++;
    else {
      const end = this.#feeds.read(thread, (news) => {
        for (const { method, params } of form(news, thread)) client.notify(method, params);
      });
      this.#open.set(key, { reasons: 1, end });
    }
    let isOver = false;
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      client.closed?.removeEventListener('abort', release);
      const entry = this.#open.get(key);
      if (entry === undefined || --entry.reasons > 0) return;
      this.#open.delete(key);
      entry.end();
    };
    client.closed?.addEventListener('abort', release, { once: true });
    if (client.closed?.aborted === true) release();
    return release;
  }
}
