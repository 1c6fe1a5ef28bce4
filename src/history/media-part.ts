import type { Item } from '../protocol/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { hasUnreadOutput } from '../protocol/unread-output.ts';

/** The key under which an item holds a list of content parts, if it holds one. */
export function partsKey(item: Item): 'content' | 'output' | undefined {
  const key = item.type === 'message' || item.type === 'agent_message' ? 'content' : 'output';
  return !hasUnreadOutput(item) && Array.isArray(item[key]) ? key : undefined;
}

/** What a part other than text holds. */
export function mediaOf(part: JsonObject): 'image' | 'audio' | undefined {
  if (part['type'] === 'input_image') return 'image';
  return part['type'] === 'input_audio' ? 'audio' : undefined;
}

/** The item with words in the place of the parts that have some; the very same item where none has. */
export function withWords(item: Item, wordsFor: (part: JsonObject) => string | undefined): Item {
  const key = partsKey(item);
  if (key === undefined) return item;
  const type = item['role'] === 'assistant' ? 'output_text' : 'input_text';
  const parts = item[key] as readonly Json[];
  const words = parts.map((part) => (isJsonObject(part) ? wordsFor(part) : undefined));
  if (words.every((text) => text === undefined)) return item;
  return { ...item, [key]: parts.map((part, at) => (words[at] === undefined ? part : { type, text: words[at] })) };
}
