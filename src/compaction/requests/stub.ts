import { isMessage, type Item, messageText } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { leftOut, leftOutAfter } from '../prompts/left-out.ts';

const stubs = new WeakMap<Item, Item>();
const leftOutWhole = new WeakSet<Item>();

/**
 * The item in a request that it is too large for: the same kind with the same ids, and a notice in place of what is
 * large. Undefined for encrypted content and unknown types, which are left out. The same object for the same item, and
 * the same text for ever: requests are rebuilt with it.
 */
export function stubOf(item: Item): Item | undefined {
  const known = stubs.get(item);
  if (known !== undefined) return known;
  if (leftOutWhole.has(item)) return undefined;
  const stub = makeStub(item);
  if (stub === undefined) leftOutWhole.add(item);
  // What is short already stays as it is.
  else stubs.set(item, charactersOf(stub) < charactersOf(item) ? stub : item);
  return stubs.get(item);
}

/** The answer of a tool: the first to be shortened, because what matters of it is often said again. */
export function isOutput(item: Item): boolean {
  return item.type.endsWith('_output');
}

function makeStub(item: Item): Item | undefined {
  const notice = leftOut(charactersOf(item));
  switch (item.type) {
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { ...item, output: notice };
    case 'tool_search_output':
      return { ...item, tools: [] };
    case 'function_call':
      return { ...item, arguments: JSON.stringify({ left_out: notice }) };
    case 'custom_tool_call':
      return { ...item, input: notice };
    case 'local_shell_call':
      return { ...item, action: { type: 'exec', command: [notice] } };
    case 'tool_search_call':
      return { ...item, arguments: {} };
    case 'image_generation_call':
      return { ...item, result: '' };
    case 'message':
      return isMessage(item) ? { ...item, content: [wordsOf(item['role'], messageText(item), item)] } : undefined;
    default:
      return undefined;
  }
}

function wordsOf(role: unknown, text: string, item: Item): JsonObject {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return { type, text: leftOutAfter(text, charactersOf(item)) };
}

function charactersOf(item: Item): number {
  return JSON.stringify(item).length;
}
