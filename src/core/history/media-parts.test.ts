import { describe, expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { entryFromLine } from './entry.ts';
import { historyOf } from './history.ts';
import { toSentItems } from './sent-items.ts';

const text = { type: 'input_text', text: 'Look:' };
const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high' };
const audio = { type: 'input_audio', audio_url: 'data:audio/wav;base64,AAAA' };
const encrypted = { type: 'encrypted_content', encrypted_content: 'x' };
const noImage = {
  type: 'input_text',
  text: '[A picture stands here. It was left out because this model takes no pictures.]',
};
const noAudio = {
  type: 'input_text',
  text: '[A recording stands here. It was left out because this model takes no sound.]',
};

const call: Item = { type: 'function_call', id: 'fc_1', name: 'view', arguments: '{}', call_id: 'a' };
const items = [
  { type: 'message', id: 'msg_1', role: 'user', content: [text, image, audio, image] },
  call,
  { type: 'function_call_output', call_id: 'a', output: [image, encrypted, audio], extra: 1 },
  { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' },
  { type: 'message', role: 'assistant', content: [image] },
  { type: 'message', role: 'user', content: [text] },
] as const satisfies readonly Item[];
const history = historyOf(items.map((item) => entryFromLine(item, undefined)));

describe('media', () => {
  it('stay for a model that takes them, and when no model is named', () => {
    expect(toSentItems(history)).toEqual(items);
    expect(toSentItems(history, { modalities: ['text', 'image', 'audio'] })).toEqual(items);
  });

  it('become words for a model without pictures', () => {
    expect(toSentItems(history, { modalities: ['text', 'audio'] })).toEqual([
      { type: 'message', id: 'msg_1', role: 'user', content: [text, noImage, audio, noImage] },
      call,
      { type: 'function_call_output', call_id: 'a', output: [noImage, encrypted, audio], extra: 1 },
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: '' },
      { type: 'message', role: 'assistant', content: [{ ...noImage, type: 'output_text' }] },
      items[5],
    ]);
  });

  it('become words for a model without sound', () => {
    expect(toSentItems(history, { modalities: ['text', 'image'] })).toEqual([
      { type: 'message', id: 'msg_1', role: 'user', content: [text, image, noAudio, image] },
      call,
      { type: 'function_call_output', call_id: 'a', output: [image, encrypted, noAudio], extra: 1 },
      ...items.slice(3),
    ]);
  });

  it('become words for a model that only reads', () => {
    expect(toSentItems(history, { modalities: ['text'] }).slice(0, 3)).toEqual([
      { type: 'message', id: 'msg_1', role: 'user', content: [text, noImage, noAudio, noImage] },
      call,
      { type: 'function_call_output', call_id: 'a', output: [noImage, encrypted, noAudio], extra: 1 },
    ]);
  });

  it('have the same words, as the same object, each time, and come back whole', () => {
    const first = toSentItems(history, { modalities: ['text'] });
    expect(toSentItems(history)).toEqual(items);
    for (const [index, item] of toSentItems(history, { modalities: ['text'] }).entries())
      expect(item).toBe(first[index]);
    expect(first[5]).toBe(items[5]);
  });

  it('may stand among unknown things', () => {
    const odd: Item = { type: 'message', role: 'user', content: [null, 7, 'x', image] as never };
    expect(toSentItems(historyOf([entryFromLine(odd, {})]), { modalities: [] })).toEqual([
      { type: 'message', role: 'user', content: [null, 7, 'x', noImage] },
    ]);
  });

  it('become words where their address is neither on the web nor holds them, for every model', () => {
    const at = (image_url: unknown) => ({ type: 'input_image', image_url }) as JsonObject;
    const words = (...parts: readonly JsonObject[]): Item => ({ type: 'message', role: 'user', content: parts });
    const web = [at('https://a.test/b.png'), at('HTTP://a.test'), at({ url: 'data:image/png;base64,AAAA' })];
    const local = [
      at('file:///etc/passwd'),
      at('/etc/passwd'),
      at('FILE:x'),
      at('ftp://a.test/b.png'),
      at({ url: 'file:x' }),
      { type: 'input_file', file_url: 'file:///etc/passwd' },
      { type: 'input_audio', audio_url: 'blob:x' },
    ];
    const sent = toSentItems(historyOf([entryFromLine(words(...web, ...local), undefined)]));
    const place = {
      type: 'input_text',
      text: expect.stringMatching(/^\[A picture or file was left out: /),
    };
    expect(sent).toEqual([words(...web, ...local.map(() => place as unknown as JsonObject))]);
    expect(toSentItems(historyOf([entryFromLine(words(...local), undefined)]), { modalities: ['text'] })).toEqual([
      words(...local.map(() => place as unknown as JsonObject)),
    ]);
  });
});
