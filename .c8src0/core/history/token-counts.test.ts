import { describe, expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { jsonTokens, instructionsTokens, itemTokens, toolTokens } from './token-counts.ts';
import { textTokens } from './text-tokens.ts';

const png = (width: number, height: number): string => {
  const header = Buffer.alloc(24);
  header.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header.toString('base64');
};
const wav = (seconds: number): string => {
  const header = Buffer.alloc(44);
  header.write('RIFF\0\0\0\0WAVEfmt \x10', 'latin1');
  header.writeUInt32LE(1000, 28);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(seconds * 1000, 40);
  return Buffer.concat([header, Buffer.alloc(seconds * 1000)]).toString('base64');
};
const message = (...content: readonly JsonObject[]): Item => ({ type: 'message', role: 'user', content });
const output = (...parts: readonly JsonObject[]): Item => ({
  type: 'function_call_output',
  call_id: 'a',
  output: parts,
});
const image = (url: string, detail?: string): JsonObject => ({
  type: 'input_image',
  image_url: url,
  ...(detail === undefined ? {} : { detail }),
});
/** Tokens of a text, and of the bytes of the rest. */
const weight = (text: Item, bytes = 0): number => Math.ceil(jsonTokens(text) + bytes / 4);

describe('the size of an item', () => {
  it('is that of its texts and of the JSON around them, rounded up', () => {
    const text = 'Grüße 😀 "quoted"\n';
    const item = message({ type: 'input_text', text });
    expect(itemTokens(item)).toBe(weight(item));
    expect(jsonTokens(item) - jsonTokens(message({ type: 'input_text', text: '' }))).toBeCloseTo(textTokens(text));
  });

  it.each([
    ['reasoning', 900, 7],
    ['reasoning', 1000, 25],
    ['reasoning', 867, 0],
    ['reasoning', 10, 0],
    ['compaction', 4000, 588],
    ['compaction_summary', 4000, 588],
    ['context_compaction', 4000, 588],
  ])('of %s with %i encrypted characters is %i tokens', (type, length, tokens) => {
    expect(itemTokens({ type, id: 'rs_1', summary: [], encrypted_content: 'x'.repeat(length) })).toBe(tokens);
  });

  it('of reasoning without encryption is that of its JSON', () => {
    const item: Item = {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Thinking' }],
      encrypted_content: null,
    };
    expect(itemTokens(item)).toBe(weight(item));
  });

  it.each([
    ['any detail', 'high', png(4000, 3000), 7373],
    ['original detail', 'original', png(2304, 864), 7776],
    ['original detail, one pixel', 'original', png(1, 1), 4],
    ['original detail, too many patches', 'original', png(6000, 6000), 40_000],
    ['original detail, size unknown', 'original', 'bm90IGEgcGljdHVyZQ==', 7373],
  ])('counts a picture by what it shows: %s', (_name, detail, payload, bytes) => {
    for (const [holder, opening] of [
      [message, 'data:image/png;base64,'],
      [output, 'DATA:image/PNG;charset=x;BASE64,'],
    ] as const) {
      expect(itemTokens(holder(image(opening + payload, detail)))).toBe(weight(holder(image(opening, detail)), bytes));
    }
  });

  it('counts as text what is not inside the item, or not in base64', () => {
    for (const url of ['https://example.com/a.png', 'data:image/svg+xml,<svg/>', 'data:audio/wav;base64,AAAA']) {
      expect(itemTokens(message(image(url)))).toBe(weight(message(image(url))));
    }
  });

  it('counts a recording by its length, and as text when it is unknown', () => {
    const audio = (url: string) => message({ type: 'input_audio', audio_url: url });
    const opening = 'data:audio/wav;base64,';
    expect(itemTokens(audio(opening + wav(7)))).toBe(weight(audio(opening), 280));
    expect(itemTokens(audio(`${opening}AAAA`))).toBe(weight(audio(`${opening}AAAA`)));
  });

  it('counts encrypted parts of tools and agents by nine sixteenths', () => {
    const part = (text: string) => ({ type: 'encrypted_content', encrypted_content: text });
    expect(itemTokens(output(part('x'.repeat(100))))).toBe(weight(output(part('')), 57));
    const mail = (text: string): Item => ({
      type: 'agent_message',
      author: 'a',
      recipient: 'b',
      content: [part(text)],
    });
    expect(itemTokens(mail('x'.repeat(160)))).toBe(weight(mail(''), 90));
  });

  it('does not read an item twice', () => {
    let reads = 0;
    const item = Object.defineProperty({ type: 'message', role: 'user' }, 'content', {
      enumerable: true,
      get: () => {
        reads++;
        return [{ type: 'input_text', text: 'x' }];
      },
    }) as unknown as Item;
    const tokens = itemTokens(item);
    const readsOfOne = reads;
    expect([itemTokens(item), reads]).toEqual([tokens, readsOfOne]);
  });
});

it('tools and instructions weigh something too', () => {
  const tool = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
  expect(toolTokens(tool)).toBe(Math.ceil(jsonTokens(tool)));
  expect(instructionsTokens('Be brief.')).toBe(Math.ceil(textTokens('Be brief.')));
});
