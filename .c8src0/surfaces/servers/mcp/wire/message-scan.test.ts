import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../../../../testing/test-inputs.ts';
import { MessageLines, MessageScan } from './message-scan.ts';

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
      const scan = new MessageScan();
      for (let at = 0; at < bytes.length; at += step) scan.read(bytes.subarray(at, at + step));
      expect(scan.id).toBe(id);
    }),
  );
});

test.each(['', '[]', '{"id": {"id": 1}}', '{"id": null}', '{"params": {"id": 1}}', '"id": 1', '{"id": 1'])(
  'what has no id gives none: %s',
  (text) => {
    const scan = new MessageScan();
    scan.read(Buffer.from(text));
    expect(scan.id).toBeUndefined();
  },
);

test('lines come out as they went in, except those that are too long', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30 })), fc.integer({ min: 1, max: 50 }), (texts, step) => {
      const lines = texts.map((text) => text.replaceAll('\n', ' '));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const reader = new MessageLines({ longest: 20, deepest: 100 });
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

test('how deep a message nests is what it nests, in whatever pieces it comes', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 1, max: 20 }), (value, step) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const scan = new MessageScan();
      for (let at = 0; at < bytes.length; at += step) scan.read(bytes.subarray(at, at + step));
      expect(scan.deepest).toBe(depthOf(value));
    }),
  );
});

test('brackets in strings are no levels, whatever is escaped in them', () => {
  const scan = new MessageScan();
  scan.read(Buffer.from(JSON.stringify({ a: '[[[["[[\\', b: ['\\"[[[', '\\'] })));
  expect(scan.deepest).toBe(2);
});

test.each([
  ['a long string', (count: number) => `{"id":7,"params":"${'x'.repeat(2 * count)}"}`],
  ['strings of quotes', (count: number) => `{"id":7,"params":"${'\\"'.repeat(count)}"}`],
  ['strings of backslashes', (count: number) => `{"id":7,"params":"${'\\\\'.repeat(count)}"}`],
  ['lists in lists', (count: number) => `{"id":7,"params":${'['.repeat(count)}${']'.repeat(count)}}`],
  ['many small values', (count: number) => `{"id":7,"params":[${'1,'.repeat(count)}1]}`],
])('a long message is read in one pass: %s', (_name, message) => {
  const found = expectLinear(300_000, (count) => {
    const bytes = Buffer.from(`${message(count)}\n`);
    const lines = new MessageLines({ longest: 300_000, deepest: 100 });
    const found: unknown[] = [];
    for (let at = 0; at < bytes.length; at += 1024) found.push(...lines.read(bytes.subarray(at, at + 1024)));
    return found;
  });
  expect(found).toMatchObject([{ id: 7 }]);
});
