import type { Owned } from '../ports/rollout-store.ts';
import type { LineDraft } from '../protocol/line.ts';
import type { ProvisionalEvent } from '../protocol/provisional-event.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import { reduce } from '../state/reduce.ts';
import type { ThreadState } from '../state/thread-state.ts';
import { Subscribers, type ThreadSubscriber } from './subscribers.ts';

/**
 * A thread's lines, and the state and the news that follow from them. State moves as soon as a line is appended; news
 * go out only when the lines before them are durable, in the order in which they were told.
 */
export class ThreadLog {
  readonly #owned: Owned;
  readonly #subscribers: Subscribers;
  readonly #news: { readonly number: number; readonly event: ThreadEvent }[] = [];
  #told = 0;
  #state: ThreadState;

  constructor(owned: Owned, state: ThreadState, subscribers = new Subscribers()) {
    this.#owned = owned;
    this.#state = state;
    this.#subscribers = subscribers;
  }

  get state(): ThreadState {
    return this.#state;
  }

  get path(): string {
    return this.#owned.path;
  }

  record(...drafts: readonly LineDraft[]): void {
    for (const line of this.#owned.append(drafts)) this.#state = reduce(this.#state, line);
  }

  /** Tells the subscribers once everything recorded so far is durable; the next `durable` sees to that. */
  tell(...events: readonly ThreadEvent[]): void {
    for (const event of events) this.#news.push({ number: ++this.#told, event });
  }

  /** Everything recorded before this call is on the disk when it resolves, and its news are out. Rejects with a Fault. */
  async durable(): Promise<void> {
    const upTo = this.#told;
    await this.#owned.durable();
    while (this.#news[0] !== undefined && this.#news[0].number <= upTo)
      this.#subscribers.tell(this.#news.shift()!.event);
  }

  /** Goes out at once and beside the lines: see `ProvisionalEvent`. */
  preview(event: ProvisionalEvent): void {
    this.#subscribers.preview(event);
  }

  /** Whether previews reach anyone. */
  get wantPreviews(): boolean {
    return this.#subscribers.wantPreviews;
  }

  /** Previews whose items will not be completed. What is about to be told is not among them. */
  dropPreviews(isLost: (itemId: string) => boolean = () => true): void {
    const told = new Set(this.#news.flatMap(({ event }) => (event.kind === 'item-completed' ? [event.item.id] : [])));
    this.#subscribers.drop((itemId) => isLost(itemId) && !told.has(itemId));
  }

  subscribe(subscriber: ThreadSubscriber): () => void {
    return this.#subscribers.add(subscriber);
  }

  async close(): Promise<void> {
    await this.#owned.close();
    this.#subscribers.end();
  }
}
