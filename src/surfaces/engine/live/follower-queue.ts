import type { ProvisionalEvent } from '../../../protocol/provisional-event.ts';
import type { LiveNews } from './live-thread.ts';
import type { PlacedNews } from './recorded-past.ts';

/** News that waits for one follower. `placed`: of what is recorded, where it stands. */
export interface WaitingNews {
  news: LiveNews | undefined;
  readonly placed?: PlacedNews;
  /** How many previews it holds, joined. */
  pieces: number;
  weight: number;
}

/** What all that waits may weigh together, in characters. */
const mostWeight = 4_000_000;

/** The news for one follower, bounded. Previews that wait are joined; those of an item that will not come are taken away. */
export class FollowerQueue {
  readonly #limit: number;
  #waiting: WaitingNews[] = [];
  /** The first that was not taken. */
  #head = 0;
  #weight = 0;
  readonly #pieces = new Map<string, WaitingNews>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#head === this.#waiting.length;
  }

  /** More than may wait. One event alone is never too much. */
  get isFull(): boolean {
    const count = this.#waiting.length - this.#head;
    return count > this.#limit || (this.#weight > mostWeight && (count > 1 || this.#pieces.size > 0));
  }

  add(news: LiveNews, placed?: PlacedNews): void {
    const slot: WaitingNews = { news, pieces: 0, weight: weightOf(news), ...(placed && { placed }) };
    this.#waiting.push(slot);
    this.#weight += slot.weight;
  }

  preview(event: Exclude<ProvisionalEvent, { kind: 'dropped' }>): void {
    const key = keyOf(event);
    const slot = this.#pieces.get(key);
    this.#weight += event.text.length;
    if (slot?.news?.kind === 'preview' && slot.news.event.kind !== 'dropped') {
      slot.news = { kind: 'preview', event: { ...event, text: slot.news.event.text + event.text } };
      slot.pieces++;
      slot.weight += event.text.length;
      return;
    }
    const added: WaitingNews = { news: { kind: 'preview', event }, pieces: 1, weight: event.text.length };
    this.#waiting.push(added);
    this.#pieces.set(key, added);
  }

  /** The item is there: what waits of its previews stands before it. */
  complete(itemId: string): void {
    for (const key of this.#pieces.keys()) if (key.startsWith(`${itemId}\n`)) this.#pieces.delete(key);
  }

  /** The item will not come. */
  forget(itemId: string): void {
    for (const [key, slot] of this.#pieces) {
      if (!key.startsWith(`${itemId}\n`)) continue;
      slot.news = undefined;
      this.#weight -= slot.weight;
      this.#pieces.delete(key);
    }
  }

  take(): WaitingNews | undefined {
    while (this.#head < this.#waiting.length) {
      const slot = this.#waiting[this.#head++]!;
      if (this.#head > 512 && this.#head * 2 > this.#waiting.length) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      if (slot.news === undefined) continue;
      this.#weight -= slot.weight;
      if (slot.news.kind === 'preview' && slot.news.event.kind !== 'dropped')
        this.#pieces.delete(keyOf(slot.news.event));
      return slot;
    }
    return undefined;
  }

  /** Lets all go that waits, and gives it back. */
  clear(): readonly WaitingNews[] {
    const gone = this.#waiting.slice(this.#head).filter(({ news }) => news !== undefined);
    this.#waiting = [];
    this.#head = 0;
    this.#weight = 0;
    this.#pieces.clear();
    return gone;
  }
}

function keyOf(event: ProvisionalEvent): string {
  return `${event.itemId}\n${event.kind}${event.kind === 'reasoning' ? ` ${event.part}` : ''}`;
}

/** Roughly: texts are what grows. */
function weightOf(news: LiveNews): number {
  if (news.kind !== 'recorded' && news.kind !== 'passing') return 100;
  const { event } = news;
  if (event.kind === 'context') return 300 + event.text.length;
  const item = 'item' in event ? event.item : undefined;
  const texts = item === undefined ? [] : Object.values(item).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + text.length, 300);
}
