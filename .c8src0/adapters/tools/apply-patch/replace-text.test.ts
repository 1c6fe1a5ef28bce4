import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceText } from './compute-update.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1');

function replaced(text: string | Uint8Array, find: string, put: string, all = false) {
  const found = replaceText(typeof text === 'string' ? bytes(text) : text, { find, put, all });
  return found.kind === 'replaced' ? Buffer.from(found.content).toString('latin1') : found;
}

test('one place is replaced, and every other byte stays', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\t', '$', '&', 'é'), maxLength: 20 });
  fc.assert(
    fc.property(part, part, part, (before, after, put) => {
      const found = replaceText(bytes(`${before}<mark>${after}`), { find: '<mark>', put, all: false });
      expect(found.kind === 'replaced' && Buffer.from(found.content).toString('utf8')).toBe(`${before}${put}${after}`);
    }),
  );
});

test.each([
  ['a text that is there twice', 'x\ny\nx\n', 'x', { kind: 'not-unique', count: 2, at: [1, 3] }],
  ['one that overlaps itself', 'aaa', 'aa', { kind: 'not-unique', count: 2, at: [1, 1] }],
  ['one that is not there', 'x\n', 'y', { kind: 'not-found', lines: ['x', ''] }],
  ['no text', 'x\0y', 'x', { kind: 'encoding', reason: 'the file is not text' }],
])('%s is refused', (_, text, find, expected) => {
  expect(replaced(text, find, 'z')).toEqual(expected);
});

test('every place, if that is asked for', () => {
  expect(replaced('x y x', 'x', '$&', true)).toBe('$& y $&');
});

test('lines that end with CR and LF stay so, and may be given with LF', () => {
  expect(replaced('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n');
});

test('bytes that are no UTF-8 stay, and nothing is written among them that would not fit', () => {
  expect(replaced(latin('caf\xe9 x'), 'x', 'y')).toBe('caf\xe9 y');
  expect(replaced(latin('caf\xe9 x'), 'x', 'é')).toMatchObject({ kind: 'encoding' });
});
