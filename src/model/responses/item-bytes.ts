import { asItem, type Item } from '../../protocol/item.ts';
import { takeItemText } from '../../protocol/item-text.ts';
import { type Json, nestsDeeperThan } from '../../protocol/json.ts';
import type { EntryWriter } from '../http/list-encoder.ts';

/** Housekeeping of another program, found in its files. Providers refuse it. */
const foreignKey = 'internal_chat_message_metadata_passthrough';

const closingBrace = Buffer.from('}');

/** An item as it goes over the wire: as stored, key order and unknown keys included, without what providers refuse. */
export function itemBytes(item: Item): Buffer {
  return storedBytes(item) ?? Buffer.from(itemText(item), 'utf8');
}

/** The same as it was read; undefined if its text must be made. */
function storedBytes(item: Item): Buffer | undefined {
  const stored = takeItemText(item);
  return stored === undefined ? undefined : fromStored(stored, item);
}

/** The stored text; what must go is cut off where it stands at the end, as the other program puts it. */
function fromStored(stored: Buffer, item: Item): Buffer | undefined {
  if (hasForeignId(item)) return undefined;
  if (!Object.hasOwn(item, foreignKey)) return stored;
  if (Object.keys(item).at(-1) !== foreignKey) return undefined;
  const end = stored.length - Buffer.byteLength(`,"${foreignKey}":${JSON.stringify(item[foreignKey])}}`);
  return Buffer.concat([stored.subarray(0, end), closingBrace]);
}

/** The same, made from the object. */
function itemText(item: Item): string {
  const dropId = hasForeignId(item);
  if (!dropId && !Object.hasOwn(item, foreignKey)) return JSON.stringify(item);
  const kept = Object.entries(item).filter(([key]) => key !== foreignKey && !(dropId && key === 'id'));
  // fromEntries defines its members, so that even a key like __proto__ comes through as what it is.
  return JSON.stringify(Object.fromEntries(kept));
}

/** Writes the items of a body. */
export const itemWriter: EntryWriter<Item> = { stored: storedBytes, text: itemText };

/** Providers take back only ids of the shape they give out, `prefix_suffix`. */
function hasForeignId(item: Item): boolean {
  if (!Object.hasOwn(item, 'id')) return false;
  const id = item['id'];
  const separator = typeof id === 'string' ? id.indexOf('_') : -1;
  return typeof id !== 'string' || separator < 1 || separator === id.length - 1;
}

/** Other programs read no deeper line, and an item is three levels below its own. */
const deepestItem = 100;

/** An item as a server gives it; undefined when it is none, or one that could not be read back. */
export function readableItem(value: Json | undefined): Item | undefined {
  return value === undefined || nestsDeeperThan(deepestItem, value) ? undefined : asItem(value);
}
