import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageIdFinder } from './message-id.ts';
import { MessageLines } from './message-lines.ts';

const id = fc.oneof(fc.string({ maxLength: 40 }), fc.integer());
const members = fc.dictionary(fc.string(), fc.jsonValue());

test('the id is found wherever it stands, in whatever pieces the message comes', () => {
  fc.assert(
    fc.property(id, members, members, fc.integer({ min: 1, max: 20 }), (id, before, after, step) => {
      delete before['id'];
      const message = {
        jsonrpc: '2.0',
        ...before,
        id,
        ...Object.fromEntries(Object.entries(after).filter(([key]) => key !== 'id')),
      };
      const bytes = Buffer.from(JSON.stringify(message));
      const finder = new MessageIdFinder();
      for (let at = 0; at < bytes.length; at += step) finder.read(bytes.subarray(at, at + step));
      expect(finder.id).toBe(id);
    }),
  );
});

test.each(['', '[]', '{"id": {"id": 1}}', '{"id": null}', '{"params": {"id": 1}}', '"id": 1', '{"id": 1'])(
  'what has no id gives none: %s',
  (text) => {
    const finder = new MessageIdFinder();
    finder.read(Buffer.from(text));
    expect(finder.id).toBeUndefined();
  },
);

test('lines come out as they went in, except those that are too long', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30 })), fc.integer({ min: 1, max: 50 }), (texts, step) => {
      const lines = texts.map((text) => text.replaceAll('\n', ' '));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const reader = new MessageLines(20);
      const read: unknown[] = [];
      for (let at = 0; at < bytes.length; at += step) read.push(...reader.read(bytes.subarray(at, at + step)));
      expect(read).toEqual(
        lines.map((text) =>
          Buffer.byteLength(text) > 20
            ? { kind: 'too long', id: undefined }
            : { kind: 'line', text: Buffer.from(text).toString() },
        ),
      );
    }),
  );
});
