import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryFromLine } from '../../../core/history/entry.ts';
import { appendEntry, emptyHistory, type History } from '../../../core/history/history.ts';
import { toSentItems } from '../../../core/history/sent-items.ts';
import { type Item, rememberItemText } from '../../../protocol/item.ts';
import { listEncoder } from './json-list-encoder.ts';
import { itemWriter } from '../responses/encode.ts';

const message = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const picture = (text: string): Item => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_image', image_url: `data:image/png;base64,${text}` }],
});
const call = (id: string): Item => ({ type: 'function_call', name: 'x', arguments: '{}', call_id: id });
const output = (id: string): Item => ({ type: 'function_call_output', call_id: id, output: 'ok' });

/** An item as it comes from a file: its text is there already. */
const stored = (read: Item): Item => {
  rememberItemText(read, Buffer.from(JSON.stringify(read)));
  return read;
};

/** Some fill pieces to the last byte, or nearly, or are just worth a piece: a message without words takes 76 bytes. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.integer({ min: 65_530 - 76, max: 65_542 - 76 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 16_380 - 76, max: 16_390 - 76 }).map((length) => 'x'.repeat(length)),
  fc.constantFrom(20_000, 150_000).map((length) => 'é'.repeat(length)),
);
const id = fc.constantFrom('a', 'b', 'c');
const item = fc.oneof(text.map(message), text.map(picture), id.map(call), id.map(output));
const step = fc.record({
  /** Which of the histories so far this one continues from; mostly the last. */
  from: fc.option(fc.nat(), { freq: 3 }),
  batch: fc.array(fc.record({ item, isStored: fc.boolean() }), { maxLength: 3 }),
  modalities: fc.constantFrom(['text'], ['text', 'image'], ['text', 'image']),
});

const joined = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString('utf8');

describe('inputs', () => {
  test('are encoded as if each were the first, over branches, rollbacks and changes of what the model takes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        const encode = listEncoder(itemWriter);
        const histories: History[] = [emptyHistory()];
        const given = steps.map(({ from, batch, modalities }) => {
          const start = from === null ? histories.at(-1)! : histories[from % histories.length]!;
          const items = batch.map((each) => (each.isStored ? stored({ ...each.item }) : each.item));
          const history = items.reduce((grown, each) => appendEntry(grown, entryFromLine(each, undefined)), start);
          histories.push(history);
          const input = toSentItems(history, { modalities });
          return { pieces: encode(input), wanted: input.map((each) => JSON.stringify(each)).join(',') };
        });
        // Looked at in the end: what was given out is not changed by what is encoded later.
        for (const { pieces, wanted } of given) expect(joined(pieces) === wanted).toBe(true);
      }),
    );
  });

  test('that continue from each other share their bytes, and each item is encoded once', () => {
    let made = 0;
    const counted = (role: string): Item => ({
      type: 'message',
      get role() {
        made += 1;
        return role;
      },
      content: 'x'.repeat(1000),
    });
    const encode = listEncoder(itemWriter);
    const items = Array.from({ length: 200 }, (_, index) => counted(`role ${index}`));
    const bodies = items.map((_, index) => encode(items.slice(0, index + 1)));
    expect(made).toBe(200);
    const last = bodies.at(-1)!;
    expect(last.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, expect.any(Number)]);
    for (const body of bodies) {
      expect(body.map(({ buffer }) => buffer)).toEqual(last.slice(0, body.length).map(({ buffer }) => buffer));
    }
  });

  test('share a first item and go different ways behind it, wherever they part', () => {
    const lengths = fc.array(fc.constantFrom(1, 100, 5000, 16_308, 16_309, 40_000, 70_000), { minLength: 1 });
    const part = fc.record({ keep: fc.nat(), lengths, isStored: fc.boolean() });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const encode = listEncoder(itemWriter);
        let input: readonly Item[] = [message('first')];
        const given = parts.map(({ keep, lengths: added, isStored }, index) => {
          const rest = added.map((length) => message(String(index % 10).repeat(length)));
          input = [...input.slice(0, 1 + (keep % input.length)), ...(isStored ? rest.map(stored) : rest)];
          return { pieces: encode(input), wanted: input.map((each) => JSON.stringify(each)).join(',') };
        });
        for (const { pieces, wanted } of given) expect(joined(pieces) === wanted).toBe(true);
      }),
    );
  });

  test('give a long text out as it was read, and continue behind it where they were', () => {
    const encode = listEncoder(itemWriter);
    const [first, long, other] = [message('a'), message('b'.repeat(20_000)), message('c'.repeat(20_000))];
    const texts = [long, other].map((each) => Buffer.from(JSON.stringify(each)));
    rememberItemText(long, texts[0]!);
    rememberItemText(other, texts[1]!);
    const pieces = encode([first, long, message('d'), other]);
    expect(pieces.map(({ buffer }) => buffer)).toEqual([
      expect.any(ArrayBuffer),
      texts[0]!.buffer,
      pieces[0]!.buffer,
      texts[1]!.buffer,
    ]);
    // The slab goes on behind what is cut off: that may be on its way.
    const others = encode([first, long, message('e'), message('f')]);
    expect(others.map(({ byteOffset, buffer }) => [byteOffset, buffer === pieces[0]!.buffer])).toEqual([
      [0, true],
      [texts[0]!.byteOffset, false],
      [pieces[2]!.byteOffset + pieces[2]!.length, true],
    ]);
    expect(joined(pieces.slice(2, 3))).toBe(`,${JSON.stringify(message('d'))},`);
  });

  test('are none of the other’s business if they begin otherwise', () => {
    const encode = listEncoder(itemWriter);
    const [one, other] = [message('one'), message('other')];
    expect([[one], [other], [one, other], [other, one], []].map((input) => joined(encode(input)))).toEqual(
      [[one], [other], [one, other], [other, one], []].map((input) => JSON.stringify(input).slice(1, -1)),
    );
  });
});
