import type { Item } from '../protocol/item.ts';
import type { JsonObject } from '../protocol/json.ts';
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
