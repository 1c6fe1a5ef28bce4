import type { Item } from './item.ts';

/** The JSON text of each output that was left unread. */
const unread = new WeakMap<Item, Buffer>();

/**
 * Gives an item its output without reading it: whoever looks at the output gets its text, and whoever does not pays
 * nothing for it. `json` is a JSON string whose bytes stay what they are.
 */
export function leaveUnread(item: Item, json: Buffer): void {
  unread.set(item, json);
  Object.defineProperty(item, 'output', { get: readOutput, enumerable: true, configurable: true });
}

/** Whether the item has an output that nobody has read. It is a text. */
export function hasUnreadOutput(item: Item): boolean {
  return unread.has(item);
}

/** One function for all items, so that they have one shape. From the first reading on the output is a plain member. */
function readOutput(this: Item): string {
  const output = JSON.parse(unread.get(this)!.toString('utf8')) as string;
  Object.defineProperty(this, 'output', { value: output, enumerable: true, configurable: true, writable: true });
  unread.delete(this);
  return output;
}
