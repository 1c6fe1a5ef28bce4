import { describe, expect, it } from 'vitest';
import type { Item } from '../protocol/item.ts';
import type { JsonObject } from '../protocol/json.ts';
import { instructionsTokens, itemBytes, itemTokens, toolTokens } from './size.ts';

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
const json = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('the size of an item', () => {
  it('is a quarter of its JSON in bytes, rounded up', () => {
    const item = message({ type: 'input_text', text: 'Grüße 😀 "quoted"\n' });
    expect(itemBytes(item)).toBe(json(item));
    expect(itemTokens(item)).toBe(Math.ceil(json(item) / 4));
  });

  it.each([
    ['reasoning', 900, 25],
    ['reasoning', 1000, 100],
    ['reasoning', 867, 0],
    ['reasoning', 10, 0],
    ['compaction', 4000, 2350],
    ['compaction_summary', 4000, 2350],
    ['context_compaction', 4000, 2350],
  ])('of %s with %i encrypted characters is %i bytes', (type, length, bytes) => {
    expect(itemBytes({ type, id: 'rs_1', summary: [], encrypted_content: 'x'.repeat(length) })).toBe(bytes);
  });

  it('of reasoning without encryption is that of its JSON', () => {
    const item: Item = {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Thinking' }],
      encrypted_content: null,
    };
    expect(itemBytes(item)).toBe(json(item));
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
      expect(itemBytes(holder(image(opening + payload, detail)))).toBe(json(holder(image(opening, detail))) + bytes);
    }
  });

  it('counts as text what is not inside the item, or not in base64', () => {
    for (const url of ['https://example.com/a.png', 'data:image/svg+xml,<svg/>', 'data:audio/wav;base64,AAAA']) {
      expect(itemBytes(message(image(url)))).toBe(json(message(image(url))));
    }
  });

  it('counts a recording by its length, and as text when nobody knows it', () => {
    const audio = (url: string) => message({ type: 'input_audio', audio_url: url });
    const opening = 'data:audio/wav;base64,';
    expect(itemBytes(audio(opening + wav(7)))).toBe(json(audio(opening)) + 280);
    expect(itemBytes(audio(`${opening}AAAA`))).toBe(json(audio(`${opening}AAAA`)));
  });

  it('counts encrypted parts of tools and agents by nine sixteenths', () => {
    const part = (text: string) => ({ type: 'encrypted_content', encrypted_content: text });
    expect(itemBytes(output(part('x'.repeat(100))))).toBe(json(output(part(''))) + 57);
    const mail = (text: string): Item => ({
      type: 'agent_message',
      author: 'a',
      recipient: 'b',
      content: [part(text)],
    });
    expect(itemBytes(mail('x'.repeat(160)))).toBe(json(mail('')) + 90);
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
  expect(toolTokens(tool)).toBe(Math.ceil(json(tool) / 4));
  expect(instructionsTokens('Be brief.')).toBe(3);
});
