import { expect, it } from 'vitest';
import type { Item } from '../../../protocol/item.ts';
import { AnthropicMessages } from './messages.ts';

const message = (role: 'user' | 'assistant', text: string): Item => ({
  type: 'message',
  role,
  content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
});

/** The texts that end in a mark, after each item. */
function markedAfterEach(items: readonly Item[]): readonly (readonly unknown[])[] {
  const messages = new AnthropicMessages(true);
  return items.map((item) => {
    messages.add(item, undefined);
    const blocks = messages.blocks.map(({ text }) => JSON.parse(text) as { readonly text: string });
    return messages.cacheMarks.map((place) => blocks[place]?.text);
  });
}

it('marks stand where the newest two turns of the user end, also while the model speaks last', () => {
  const items = ['one', 'two', 'three'].flatMap((text) => [message('user', text), message('assistant', `${text}!`)]);
  expect(markedAfterEach(items)).toEqual([
    ['one'],
    ['one'],
    ['one', 'two'],
    ['one', 'two'],
    ['two', 'three'],
    ['two', 'three'],
  ]);
});
