import { errorWords } from '../../../protocol/error-words.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { Engine } from '../../engine/engine.ts';
import { timeOfCursor } from '../../engine/live/place-cursor.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import type { Look } from '../text/look.ts';
import { EventEntries } from './event-entries.ts';
import { Transcript } from './transcript.ts';

export interface ShownThreadParts {
  readonly engine: Engine;
  readonly threads: LiveThreads;
  now(): number;
  /** There is more to show. */
  changed(): void;
}

/** A thread beside the one of the conversation, to be read: as it goes on if it is loaded here, else as its file has it. */
export class ShownThread {
  readonly #parts: ShownThreadParts;
  readonly #transcript = new Transcript();
  readonly #entries: EventEntries;
  readonly #leaving = new AbortController();

  constructor(id: ThreadId, parts: ShownThreadParts) {
    this.#parts = parts;
    this.#entries = new EventEntries(this.#transcript, (outcome) => parts.engine.recordIfNews(outcome));
    const live = parts.threads.loaded.find((thread) => thread.id === id);
    void (live === undefined ? this.#readFile(id) : this.#follow(live)).catch((error: unknown) => {
      this.#entries.notice(`The thread cannot be read: ${errorWords(error)}`, 'error');
      parts.changed();
    });
  }

  rows(look: Look): readonly string[] {
    return this.#transcript.entries.flatMap((entry) => this.#transcript.spacedRows(entry, look));
  }

  close(): void {
    this.#leaving.abort();
  }

  async #follow(thread: LiveThread): Promise<void> {
    const { signal } = this.#leaving;
    const { now, changed } = this.#parts;
    for await (const news of thread.follow({ after: -1, signal })) {
      if (news.kind === 'recorded') this.#entries.event(asSaid(news.event), timeOfCursor(news.cursor));
      if (news.kind === 'passing') this.#entries.event(asSaid(news.event), now());
      if (news.kind === 'preview') this.#entries.preview(news.event);
      changed();
    }
  }

  async #readFile(id: ThreadId): Promise<void> {
    for await (const { event, at } of this.#parts.engine.stored.events(id)) this.#entries.event(asSaid(event), at);
    this.#parts.changed();
  }
}

/** What an agent was told stands where words of a user do: without it, no one knows what it works on. */
function asSaid(event: ThreadEvent): ThreadEvent {
  if (event.kind !== 'context' || event.author !== 'agent') return event;
  const { author: _author, ...said } = event;
  return said;
}
