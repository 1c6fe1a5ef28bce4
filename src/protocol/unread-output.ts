import type { Item } from './item.ts';

/** Where the JSON text of an output stands, its quotation marks included. The bytes stay what they are. */
export interface UnreadOutput {
  readonly text: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Of each output that was left unread. */
const unread = new WeakMap<Item, UnreadOutput>();

/** Gives an item its output unread: a reader that looks at it gets its text, and one that does not pays nothing. */
export function leaveUnread(item: Item, output: UnreadOutput): void {
  unread.set(item, output);
  Object.defineProperty(item, 'output', { get: readOutput, enumerable: true, configurable: true });
}

/** Whether the item has an output that has not been read. It is a text. */
export function hasUnreadOutput(item: Item): boolean {
  return unread.has(item);
}

/** One function for all items, so that they have one shape. From the first reading on the output is a plain member. */
function readOutput(this: Item): string {
  const { text, start, end } = unread.get(this)!;
  const output = JSON.parse(text.toString('utf8', start, end)) as string;
  Object.defineProperty(this, 'output', { value: output, enumerable: true, configurable: true, writable: true });
  unread.delete(this);
  return output;
}
