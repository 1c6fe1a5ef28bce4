import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import { instructionsTokens, itemTokens, tokenUpperBound, toolTokens } from './token-counts.ts';
import { anyCharacter } from '../../testing/test-inputs.ts';

const alike = fc.constantFrom(
  ...'a b A Z 0 9 " \\ \n \t . , = / é Я 中 龘 あ 한 😀 ꀀ'.split(' '),
  ' ',
  '\u0000',
  '\ud800',
);
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(alike, { maxLength: 300 }).map((signs) => signs.join('')),
  fc.tuple(alike, fc.nat(9000)).map(([sign, times]) => sign.repeat(times)),
);

it('is never less than what the parts weigh', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), fc.jsonValue(), (texts, value) => {
      const content = texts.map((each) => ({ type: 'input_text', text: each }));
      const items: readonly Item[] = [
        { type: 'message', role: 'user', content },
        { type: 'function_call_output', call_id: 'a', output: texts.join('\n') },
        { type: 'reasoning', summary: [], encrypted_content: texts.join('') },
      ];
      const tool = { type: 'function', name: 'tool', description: texts.join(' '), parameters: { value } };
      const weighed =
        texts.reduce((sum, each) => sum + instructionsTokens(each), 0) +
        items.reduce((sum, item) => sum + itemTokens(item), 0) +
        toolTokens(tool);
      expect(tokenUpperBound([...texts, ...items, tool])).toBeGreaterThanOrEqual(weighed);
    }),
  );
});

it('has no bound where a picture or a sound weighs by what it shows', () => {
  const part = { type: 'input_image', image_url: 'data:image/png;base64,', detail: 'original' };
  const output: Item = { type: 'function_call_output', call_id: 'a', output: [part] };
  const sound: Item = { type: 'message', role: 'user', content: [{ type: 'input_audio', audio_url: '' }] };
  expect([tokenUpperBound(['']), tokenUpperBound([output]), tokenUpperBound([sound])]).toEqual([1, Infinity, Infinity]);
});
