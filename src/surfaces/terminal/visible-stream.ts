import { visibleText } from './visible-text.ts';

/** How many characters before a sign decide whether it is a part of a letter or a picture. */
const lookBack = 4;

/**
 * `visibleText` for a text that comes in pieces: joined, what it gives is what the whole text would give. A piece may
 * end inside a line end or a character; that end waits for the next piece.
 */
export class VisibleStream {
  #before = '';
  #held = '';

  push(piece: string): string {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const isOpen = last === 0x0d || (last >= 0xd800 && last <= 0xdbff);
    this.#held = isOpen ? text.slice(-1) : '';
    return this.#visible(isOpen ? text.slice(0, -1) : text);
  }

  /** What is still held back. */
  end(): string {
    const rest = this.#visible(this.#held);
    this.#held = '';
    this.#before = '';
    return rest;
  }

  #visible(text: string): string {
    const shown = visibleText(this.#before + text).slice(visibleText(this.#before).length);
    this.#before = (this.#before + text).slice(-lookBack);
    return shown;
  }
}
