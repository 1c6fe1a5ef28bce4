import type { Owned } from '../ports/rollout-store.ts';
import type { LineDraft } from '../protocol/line.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import { reduce } from '../state/reduce.ts';
import type { Behind, ThreadState } from '../state/thread-state.ts';

/**
 * A thread's lines, and the state and the news that follow from them. State moves as soon as a line is appended; news
 * go out only when the lines before them are durable, in the order in which they were told.
 */
export class ThreadLog {
  readonly #owned: Owned;
  readonly #listener: (event: ThreadEvent) => void;
  readonly #news: { readonly number: number; readonly event: ThreadEvent }[] = [];
  #told = 0;
  #state: ThreadState;
  readonly #readBehind: () => Promise<Behind | undefined>;

  constructor(
    owned: Owned,
    state: ThreadState,
    listener: (event: ThreadEvent) => void,
    readBehind: () => Promise<Behind | undefined> = () => Promise.resolve(undefined),
  ) {
    this.#owned = owned;
    this.#state = state;
    this.#listener = listener;
    this.#readBehind = readBehind;
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

  /**
   * Reads what stands behind the opaque checkpoint that history began with when the thread was opened: a line may use it
   * from here on. Undefined if it is not there.
   */
  async learnBehind(): Promise<Behind | undefined> {
    const behind = await this.#readBehind();
    if (behind !== undefined) this.#state = { ...this.#state, behind };
    return behind;
  }

  /** Tells the listener once everything recorded so far is durable; the next `durable` sees to that. */
  tell(...events: readonly ThreadEvent[]): void {
    for (const event of events) this.#news.push({ number: ++this.#told, event });
  }

  /** Everything recorded before this call is on the disk when it resolves, and its news are out. Rejects with a Fault. */
  async durable(): Promise<void> {
    const upTo = this.#told;
    await this.#owned.durable();
    while (this.#news[0] !== undefined && this.#news[0].number <= upTo) this.#send(this.#news.shift()!.event);
  }

  /** A listener that throws is a fault of its program, and none of the thread: what is on the disk stays so. */
  #send(event: ThreadEvent): void {
    try {
      this.#listener(event);
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
    }
  }

  async close(): Promise<void> {
    await this.#owned.close();
  }
}
