import type { Item } from './item.ts';

/**
 * Texts of items that were read and need not be made again. A text is exactly what `JSON.stringify` makes of its item,
 * with the comma before it that a list has.
 */
const texts = new WeakMap<Item, Buffer>();

export function rememberItemText(item: Item, text: Buffer): void {
  texts.set(item, text);
}

/** Gives the text away: it belongs to who takes it. */
export function takeItemText(item: Item): Buffer | undefined {
  const text = texts.get(item);
  texts.delete(item);
  return text;
}
