import type { Item } from './item.ts';

/**
 * Texts of items that were read and need not be made again. A text is exactly what `JSON.stringify` makes of its item.
 * It may lie in a block of a file, with others: it is not to be changed.
 */
const texts = new WeakMap<Item, Buffer>();

export function rememberItemText(item: Item, text: Buffer): void {
  texts.set(item, text);
}

/** The text is asked for once: nothing is kept for a second time. */
export function takeItemText(item: Item): Buffer | undefined {
  const text = texts.get(item);
  texts.delete(item);
  return text;
}
