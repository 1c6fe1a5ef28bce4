import type { Owned } from '../../ports/rollout-store.ts';
import type { LineDraft } from '../../protocol/line.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { reduce } from '../../state/reduce.ts';
import type { Behind, ThreadState } from '../../state/thread-state.ts';
import { withhold } from '../../state/withheld.ts';
import { type LogNews, Subscribers } from './subscribers.ts';

/**
 * A thread's lines, and the state and the news that follow from them. State moves as soon as a line is appended; news
 * go out only when the lines before them are durable, in the order in which they were reported.
 */
export class ThreadLog {
  readonly #owned: Owned;
  /** Previews go out at once and beside the lines: see `ProvisionalEvent`. */
  readonly subscribers: Subscribers;
  readonly #news: { readonly number: number; readonly news: LogNews }[] = [];
  #told = 0;
  #beforeDurable: () => void = () => {};
  #state: ThreadState;
  readonly #readBehind: () => Promise<Behind | undefined>;

  constructor(
    owned: Owned,
    state: ThreadState,
    subscribers = new Subscribers(),
    readBehind: () => Promise<Behind | undefined> = () => Promise.resolve(undefined),
  ) {
    this.#owned = owned;
    this.#state = state;
    this.subscribers = subscribers;
    this.#readBehind = readBehind;
  }

  get state(): ThreadState {
    return this.#state;
  }

  get location(): string {
    return this.#owned.location;
  }

  record(...drafts: readonly LineDraft[]): void {
    const { withheld } = this.#state;
    for (const line of this.#owned.append(drafts)) {
      this.#state = withhold(reduce(this.#state, line), withheld);
      if (this.subscribers.wantLines) this.#add({ kind: 'line', line });
    }
  }

  /**
   * Learns what stands behind the opaque checkpoint that history begins with: a line may use it from here on. Undefined if
   * it is not there.
   */
  async learnBehind(): Promise<Behind | undefined> {
    await this.durable();
    const behind = await this.#readBehind();
    if (behind !== undefined) this.#state = { ...this.#state, behind };
    return behind;
  }

  /** Goes to the subscribers once everything recorded so far is durable; the next `durable` sees to that. */
  tell(...events: readonly ThreadEvent[]): void {
    for (const event of events) this.#add({ kind: 'event', event });
  }

  /** The same for an event that no line holds, although lines hold others of its kind. */
  tellPassing(...events: readonly ThreadEvent[]): void {
    for (const event of events) this.#add({ kind: 'event', event, isPassing: true });
  }

  /** What else must be recorded before anything becomes durable, and so before any news go out. */
  beforeDurable(record: () => void): void {
    this.#beforeDurable = record;
  }

  /** Everything recorded before this call is on the disk when it resolves, and its news are out. Rejects with a Fault. */
  async durable(): Promise<void> {
    this.#beforeDurable();
    const upTo = this.#told;
    await this.#owned.durable();
    this.#tellUpTo(upTo);
  }

  /**
   * The same for a request, which leaves as soon as all is on the disk (`stored`) and does not wait until the news are
   * out (`told`).
   */
  store(): { readonly stored: Promise<void>; readonly told: Promise<void> } {
    this.#beforeDurable();
    const upTo = this.#told;
    const stored = this.#owned.durable();
    const told = async (): Promise<void> => {
      await stored;
      // One step more than those who wait for `stored` alone.
      await undefined;
      this.#tellUpTo(upTo);
    };
    return { stored, told: told() };
  }

  #tellUpTo(number: number): void {
    const count = this.#news.findIndex((each) => each.number > number);
    const out = this.#news.splice(0, count < 0 ? this.#news.length : count);
    if (out.length > 0) this.subscribers.tellAll(out.map(({ news }) => news));
  }

  /** Previews whose items will not be completed. What is about to be sent is not among them. */
  dropPreviews(isLost: (itemId: string) => boolean = () => true): void {
    const told = new Set(this.#news.flatMap(({ news }) => completedItem(news)));
    this.subscribers.drop((itemId) => isLost(itemId) && !told.has(itemId));
  }

  #add(news: LogNews): void {
    this.#news.push({ number: ++this.#told, news });
  }

  /** Subscribers get their end in any case. Rejects with a Fault if lines or the ownership are lost. */
  async close(): Promise<void> {
    try {
      await this.#owned.close();
    } finally {
      this.subscribers.end();
    }
  }
}

function completedItem(news: LogNews): readonly string[] {
  return news.kind === 'event' && news.event.kind === 'item-completed' ? [news.event.item.id] : [];
}
