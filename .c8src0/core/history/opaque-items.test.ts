import { describe, expect, test } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import { isSameProvider } from '../../protocol/provider-name.ts';
import { historyOf } from './history.ts';
import { itemForProvider, toSentItems } from './sent-items.ts';

const [maker, reader] = [{ id: 'a', address: 'https://a.example/v1' }, { id: 'b' }];
const origin = { family: 'model' } as const;
const part = { type: 'encrypted_content', encrypted_content: 'secret' };
const order = { type: 'input_text', text: 'NEW_TASK' };

const items: readonly (readonly [Item, readonly unknown[]])[] = [
  [{ type: 'reasoning', summary: [], encrypted_content: 'secret' }, []],
  [{ type: 'compaction', encrypted_content: 'secret' }, []],
  [{ type: 'compaction_summary', encrypted_content: 'secret' }, []],
  [{ type: 'context_compaction', encrypted_content: 'secret' }, []],
  [{ type: 'context_compaction' }, []],
  [
    { type: 'agent_message', author: 'x', content: [order, part] },
    [
      {
        type: 'agent_message',
        author: 'x',
        content: [order, { type: 'input_text', text: expect.stringContaining('left out') }],
      },
    ],
  ],
];

describe('an item that only its maker can read', () => {
  test.each(items)('%j', (item, left) => {
    const history = historyOf([{ item, origin, maker }]);
    expect(toSentItems(history, { reader: maker })).toEqual([item]);
    expect(toSentItems(history, { reader })).toEqual(left);
    expect(toSentItems(historyOf([{ item, origin }]), { reader: maker })).toEqual(left);
    // Requests of older versions are given back as they were.
    expect(toSentItems(history)).toEqual([item]);
  });

  test('keeps its pair, and is one and the same object each time', () => {
    const secret = { encrypted_function_args: 'secret' };
    const call: Item = { type: 'function_call', name: 'f', arguments: '{}', call_id: '1', ...secret };
    const output: Item = { type: 'function_call_output', call_id: '1', output: [part] };
    const made = [call, output].map((item) => ({ item, origin, maker }));
    const sent = toSentItems(historyOf(made), { reader });
    expect(JSON.stringify(sent)).not.toContain('secret');
    expect(sent.map(({ type, call_id: id }) => [type, id])).toEqual([
      ['function_call', '1'],
      ['function_call_output', '1'],
    ]);
    expect(itemForProvider(call, maker, reader)).toBe(sent[0]);
  });

  test('is nothing that every provider can read', () => {
    const plain: readonly Item[] = [
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
    ];
    const history = historyOf(plain.map((item) => ({ item, origin })));
    expect(toSentItems(history, { reader })).toEqual(plain);
  });
});

describe('a thought that is signed for its model', () => {
  const thought = (mark: string): Item => ({ type: 'reasoning', summary: [], encrypted_content: `${mark}secret` });
  const sonnet = { id: 'a', wire: 'anthropic', model: 'claude-sonnet-4-5' };
  const opus = { ...sonnet, model: 'claude-opus-4-6' };
  const { model: _model, ...any } = sonnet;

  test.each(['anthropic/thinking:', 'anthropic/redacted_thinking:'])('%s', (mark) => {
    const item = thought(mark);
    expect(itemForProvider(item, sonnet, sonnet)).toBe(item);
    expect(itemForProvider(item, sonnet, opus)).toBeUndefined();
    // The provider decides if no model is recorded, as in requests of earlier versions.
    expect([itemForProvider(item, sonnet, any), itemForProvider(item, any, opus)]).toEqual([item, item]);
    const history = historyOf([{ item, origin, maker: sonnet }]);
    expect([toSentItems(history, { reader: opus }), toSentItems(history, { reader: sonnet })]).toEqual([[], [item]]);
  });

  test('is no other thought', () => {
    const item = thought('');
    expect(itemForProvider(item, sonnet, opus)).toBe(item);
  });
});

test.each([
  [{ id: 'a' }, { id: 'a' }, true],
  [{ id: 'a' }, maker, true],
  [maker, { ...maker, address: 'https://other.example/v1' }, false],
  [maker, { ...maker, id: 'b' }, false],
])('%j and %j are one provider: %s', (one, other, same) => {
  expect([isSameProvider(one, other), isSameProvider(other, one)]).toEqual([same, same]);
});
