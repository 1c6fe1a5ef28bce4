import { describe, expect, it } from 'vitest';
import type { Item } from '../../../protocol/item.ts';
import { stubItem } from './item-stub.ts';

const long = 'word '.repeat(4000);
const notice = expect.stringMatching(/^\[20\d\d\d characters stood here\./);
const afterBeginning = expect.stringMatching(/^word word [^]{280,300}…\n\[20\d\d\d characters stood here\./);

describe('stubOf', () => {
  it.each<[Item, object]>([
    [{ type: 'function_call_output', id: 'o', call_id: 'c', output: long }, { output: notice }],
    [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: long }] }, { output: notice }],
    [{ type: 'custom_tool_call_output', call_id: 'c', output: long }, { output: notice }],
    [{ type: 'tool_search_output', call_id: 'c', tools: [long] }, { tools: [] }],
    [
      { type: 'function_call', name: 'run', call_id: 'c', arguments: JSON.stringify({ long }) },
      { arguments: expect.stringMatching(/^\{"left_out":"\[20\d\d\d characters /) },
    ],
    [{ type: 'custom_tool_call', name: 'apply_patch', call_id: 'c', input: long }, { input: notice }],
    [
      { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: [long] } },
      { action: { type: 'exec', command: [notice] } },
    ],
    [{ type: 'tool_search_call', call_id: 'c', arguments: { query: long } }, { arguments: {} }],
    [{ type: 'image_generation_call', id: 'i', result: long }, { result: '' }],
    [
      { type: 'message', id: 'm', role: 'user', content: [{ type: 'input_text', text: long }] },
      { content: [{ type: 'input_text', text: afterBeginning }] },
    ],
    [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: long }] },
      { content: [{ type: 'output_text', text: afterBeginning }] },
    ],
  ])('$type keeps its names and loses what is large', (item, over) => {
    expect(stubItem(item)).toEqual({ ...item, ...over });
    expect(stubItem(item)).toBe(stubItem(item));
  });

  it('leaves what is short as it is', () => {
    const item: Item = { type: 'function_call_output', call_id: 'c', output: 'ok' };
    expect(stubItem(item)).toBe(item);
  });

  it.each<Item>([
    { type: 'reasoning', summary: [], encrypted_content: long },
    { type: 'compaction', encrypted_content: long },
    { type: 'news', text: long },
  ])('$type cannot be shortened', (item) => {
    expect(stubItem(item)).toBeUndefined();
    expect(stubItem(item)).toBeUndefined();
  });
});
