import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryOf } from '../../history/entry.ts';
import { append, emptyHistory, type History } from '../../history/history.ts';
import { project } from '../../history/project.ts';
import type { Item } from '../../protocol/item.ts';
import { inputEncoder } from './encode-input.ts';

const message = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const picture = (text: string): Item => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_image', image_url: `data:image/png;base64,${text}` }],
});
const call = (id: string): Item => ({ type: 'function_call', name: 'x', arguments: '{}', call_id: id });
const output = (id: string): Item => ({ type: 'function_call_output', call_id: id, output: 'ok' });

/** Some fill pieces to the last byte, or nearly: a message without words takes 76 bytes. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.integer({ min: 65_530 - 76, max: 65_542 - 76 }).map((length) => 'x'.repeat(length)),
  fc.constantFrom(20_000, 150_000).map((length) => 'é'.repeat(length)),
);
const id = fc.constantFrom('a', 'b', 'c');
const item = fc.oneof(text.map(message), text.map(picture), id.map(call), id.map(output));
const step = fc.record({
  /** Which of the histories so far this one goes on from; mostly the last. */
  from: fc.option(fc.nat(), { freq: 3 }),
  batch: fc.array(item, { maxLength: 3 }),
  modalities: fc.constantFrom(['text'], ['text', 'image'], ['text', 'image']),
});

const joined = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString('utf8');

describe('inputs', () => {
  test('are encoded as if each were the first, over branches, rollbacks and changes of what the model takes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        const encode = inputEncoder();
        const histories: History[] = [emptyHistory()];
        const given = steps.map(({ from, batch, modalities }) => {
          const start = from === null ? histories.at(-1)! : histories[from % histories.length]!;
          const history = batch.reduce((grown, each) => append(grown, entryOf(each, undefined)), start);
          histories.push(history);
          const input = project(history, { modalities });
          return { pieces: encode(input), wanted: input.map((each) => JSON.stringify(each)).join(',') };
        });
        // Looked at in the end: what was given out is not changed by what is encoded later.
        for (const { pieces, wanted } of given) expect(joined(pieces) === wanted).toBe(true);
      }),
    );
  });

  test('that go on from each other share their bytes, and each item is encoded once', () => {
    let made = 0;
    const counted = (role: string): Item => ({
      type: 'message',
      get role() {
        made += 1;
        return role;
      },
      content: 'x'.repeat(1000),
    });
    const encode = inputEncoder();
    const items = Array.from({ length: 200 }, (_, index) => counted(`role ${index}`));
    const bodies = items.map((_, index) => encode(items.slice(0, index + 1)));
    expect(made).toBe(200);
    const last = bodies.at(-1)!;
    expect(last.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, expect.any(Number)]);
    for (const body of bodies) {
      expect(body.map(({ buffer }) => buffer)).toEqual(last.slice(0, body.length).map(({ buffer }) => buffer));
    }
  });

  test('are none of the other’s business if they begin otherwise', () => {
    const encode = inputEncoder();
    const [one, other] = [message('one'), message('other')];
    expect([[one], [other], [one, other], [other, one], []].map((input) => joined(encode(input)))).toEqual(
      [[one], [other], [one, other], [other, one], []].map((input) => JSON.stringify(input).slice(1, -1)),
    );
  });
});
