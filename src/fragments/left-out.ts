import type { Item } from '../protocol/item.ts';

/** What stands in the place of something that does not fit into the request. It depends on the item alone. */
const notice = '(Left out: this was too large for the room that is left.)';

/** The item as a short notice: of its kind, with its ids, so that a call keeps its answer. */
export function leftOut(item: Item): Item {
  if (item['output'] !== undefined) return { ...item, output: notice };
  if (item.type === 'message') {
    const type = item['role'] === 'assistant' ? 'output_text' : 'input_text';
    return { ...item, content: [{ type, text: notice }] };
  }
  if (Array.isArray(item['tools'])) return { ...item, tools: [] };
  if (typeof item['arguments'] === 'string') return { ...item, arguments: '{}' };
  if (typeof item['input'] === 'string') return { ...item, input: notice };
  return item;
}
