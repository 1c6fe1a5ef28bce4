import { isWarningRecorded, warningLine } from '../../core/state/fold/warnings.ts';
import { withholdEntries } from '../../core/state/line-seals.ts';
import { reduce } from '../../core/state/reduce.ts';
import type { HistoryBehindCheckpoint, ThreadState } from '../../core/state/thread-state.ts';
import type { Owned } from '../../ports/thread-store.ts';
import type { LineDraft } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { type LogNews, Subscribers } from './event-stream.ts';

/** Warns of a problem once per process, and returns whether it did. `by`: problems that share this count as one. */
export function warnOnce(
  { log, warned }: { readonly log: Pick<ThreadLog, 'tell'>; readonly warned: Set<string> },
  outcome: Outcome,
  by: 'code' | 'message',
): boolean {
  const key = by === 'code' ? outcome.code : `${outcome.code} ${outcome.message}`;
  if (warned.has(key)) return false;
  warned.add(key);
  log.tell({ kind: 'warning', outcome });
  return true;
}

/** Warns once in the life of the thread, in whichever process: a line records the warning. */
export function warnOnceForAll({ log }: { readonly log: ThreadLog }, outcome: Outcome, about: string): void {
  const name = `${outcome.code} ${about}`;
  if (isWarningRecorded(log.state.warnings, name)) return;
  log.record(warningLine(name));
  log.tell({ kind: 'warning', outcome });
}

/**
 * A thread's lines, and what follows from them. The state changes as soon as a line is appended; news go out when the
 * lines before them are durable, in order.
 */
export class ThreadLog {
  readonly #owned: Owned;
  /** Previews go out at once, not with the lines: see `ProvisionalEvent`. */
  readonly subscribers: Subscribers;
  readonly #news: { readonly number: number; readonly news: LogNews }[] = [];
  #told = 0;
  #beforeDurable: () => void = () => {};
  #state: ThreadState;
  readonly #readBehind: ThreadLog['learnBehind'];

  constructor(
    owned: Owned,
    state: ThreadState,
    subscribers = new Subscribers(),
    readBehind: ThreadLog['learnBehind'] = () => Promise.resolve(undefined),
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
      this.#state = withholdEntries(reduce(this.#state, line), withheld);
      if (this.subscribers.wantLines) this.#add({ kind: 'line', line });
    }
  }

  /** Loads the history behind the opaque checkpoint; later lines may use it. Undefined if it is missing. */
  async learnBehind(): Promise<HistoryBehindCheckpoint | undefined> {
    await this.durable();
    const behind = await this.#readBehind();
    if (behind !== undefined) this.#state = { ...this.#state, behind };
    return behind;
  }

  /** Queues events for subscribers. The next `durable` sends them, when everything recorded before is on the disk. */
  tell(...events: readonly ThreadEvent[]): void {
    for (const event of events) this.#add({ kind: 'event', event });
  }

  /** For an event that no line records, although lines record others of its kind. */
  tellPassing(...events: readonly ThreadEvent[]): void {
    for (const event of events) this.#add({ kind: 'event', event, isPassing: true });
  }

  /** Adds a hook that records more lines before anything becomes durable, and so before any news go out. */
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

  /** For a request. `stored`: all is on the disk, so the request can be sent. `told`: subscribers have the news. */
  store(): { readonly stored: Promise<void>; readonly told: Promise<void> } {
    this.#beforeDurable();
    const upTo = this.#told;
    const stored = this.#owned.durable();
    const told = async (): Promise<void> => {
      await stored;
      // One step later than those who wait for `stored` alone.
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

  /** Drops previews of items that will not be completed, except those about to be sent. */
  dropPreviews(isLost: (itemId: string) => boolean): void {
    const completed = (news: LogNews, itemId: string): boolean =>
      news.kind === 'event' && news.event.kind === 'item-completed' && news.event.item.id === itemId;
    this.subscribers.drop((itemId) => isLost(itemId) && !this.#news.some(({ news }) => completed(news, itemId)));
  }

  #add(news: LogNews): void {
    this.#news.push({ number: ++this.#told, news });
  }

  /** Subscribers are ended in any case. Rejects with a Fault if lines or the ownership are lost. */
  async close(): Promise<void> {
    try {
      await this.#owned.close();
    } finally {
      this.subscribers.end();
    }
  }
}
