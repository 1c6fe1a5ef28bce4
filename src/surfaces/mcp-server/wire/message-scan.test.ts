import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageScan } from './message-scan.ts';
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
  ['a long string', `{"id":7,"params":"${'x'.repeat(50_000_000)}"}`],
  ['strings of quotes', `{"id":7,"params":"${'\\"'.repeat(16_000_000)}"}`],
  ['strings of backslashes', `{"id":7,"params":"${'\\\\'.repeat(12_000_000)}"}`],
  ['lists in lists', `{"id":7,"params":${'['.repeat(25_000_000)}${']'.repeat(25_000_000)}}`],
  ['many small values', `{"id":7,"params":[${'1,'.repeat(25_000_000)}1]}`],
])('50 MB are read in the time of one pass: %s', (_name, text) => {
  const bytes = Buffer.from(text);
  const lines = new MessageLines({ longest: 16 * 1024 * 1024, deepest: 100 });
  const found: unknown[] = [];
  const before = process.cpuUsage();
  for (let at = 0; at < bytes.length; at += 65_536) found.push(...lines.read(bytes.subarray(at, at + 65_536)));
  found.push(...lines.read(Buffer.from('\n')));
  const { user } = process.cpuUsage(before);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ id: 7 });
  expect(user / 1000).toBeLessThan(1500);
});
