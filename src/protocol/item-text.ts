import type { Item } from './item.ts';

/**
 * Texts of items that were read and need not be made again. A text is exactly what `JSON.stringify` makes of its item,
 * with the comma before it that a list has.
 */
const texts = new WeakMap<Item, Buffer>();
const lengths = new WeakMap<Item, number>();

export function rememberItemText(item: Item, text: Buffer): void {
  texts.set(item, text);
  lengths.set(item, text.length - 1);
}

/** Bytes of a text that was read, without its comma; known also after it was given away. */
export function itemTextBytes(item: Item): number | undefined {
  return lengths.get(item);
}

/** Gives the text away: it belongs to who takes it. */
export function takeItemText(item: Item): Buffer | undefined {
  const text = texts.get(item);
  texts.delete(item);
  return text;
}
