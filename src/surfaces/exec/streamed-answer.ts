import type { ProvisionalEvent } from '../../protocol/provisional-event.ts';
import type { Screen } from '../terminal/screen.ts';
import { PlanTagStream } from './plan-tags.ts';

interface Arriving {
  readonly kind: 'text' | 'reasoning';
  /** Pieces that are on the screen. Kept apart: joining them at every piece would cost their square. */
  readonly shown: string[];
  /** What is not there yet. */
  waiting: string;
  readonly tags: PlanTagStream;
}

/**
 * Shows answers while they arrive. Items come one after the other, and what is durable comes a little later than what
 * is provisional: an item is shown when those before it are completed or dropped.
 */
export class StreamedAnswer {
  readonly #screen: Screen;
  readonly #arriving = new Map<string, Arriving>();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  provisional(event: ProvisionalEvent): void {
    if (event.kind === 'output') return;
    if (event.kind === 'dropped') {
      const dropped = this.#arriving.get(event.itemId);
      this.#arriving.delete(event.itemId);
      if (dropped !== undefined && dropped.shown.length > 0) this.#screen.note({ look: 'yellow', text: '[cut off]' });
      return this.#showFirst();
    }
    const item: Arriving = this.#arriving.get(event.itemId) ?? {
      kind: event.kind,
      shown: [],
      waiting: '',
      tags: new PlanTagStream(),
    };
    item.waiting += item.tags.push(event.text);
    this.#arriving.set(event.itemId, item);
    this.#showFirst();
  }

  /** The item is here, without tags. True when the screen has all of its text. */
  completed(id: string, text: string): boolean {
    const item = this.#arriving.get(id);
    this.#arriving.delete(id);
    if (item === undefined || item.shown.length === 0) return false;
    const shown = item.shown.join('');
    const isSame = text.startsWith(shown);
    if (isSame) this.#screen.text(text.slice(shown.length));
    this.#screen.endText();
    return isSame;
  }

  /** To be called when what was said about the completed item stands on the screen. */
  showNext(): void {
    this.#showFirst();
  }

  #showFirst(): void {
    const [first] = this.#arriving.values();
    if (first?.kind !== 'text' || first.waiting === '') return;
    this.#screen.text(first.waiting);
    first.shown.push(first.waiting);
    first.waiting = '';
  }
}
