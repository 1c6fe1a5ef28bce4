import { isMessage, type Item, type MessageItem, messageText } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { cachePerObject } from '../../../base/objects.ts';
import { firstBytes } from '../../fragments/text/truncate.ts';

/**
 * The item with a notice for large content. Undefined for encrypted content and unknown types, which are left out. Must
 * be stable: requests are rebuilt with it.
 */
export const stubItem = cachePerObject((item: Item): Item | undefined => {
  const stub = makeStub(item);
  return stub === undefined || charactersOf(stub) < charactersOf(item) ? stub : item;
});

/** Outputs are shortened first, because their important parts are often repeated later. */
export const isToolOutput = (item: Item): boolean => item.type.endsWith('_output');

function makeStub(item: Item): Item | undefined {
  const notice = `[${charactersOf(item)} characters stood here. They were too much for this request and were left out.]`;
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
      return isMessage(item) ? { ...item, content: [beginningOf(item, notice)] } : undefined;
    default:
      return undefined;
  }
}

function beginningOf(item: MessageItem, notice: string): JsonObject {
  const type = item.role === 'assistant' ? 'output_text' : 'input_text';
  const beginning = firstBytes(messageText(item), beginningBytes);
  return { type, text: beginning === '' ? notice : `${beginning}…\n${notice}` };
}

const charactersOf = (item: Item): number => JSON.stringify(item).length;
const beginningBytes = 300;
