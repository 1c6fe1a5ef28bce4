import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringEnd } from './string-end.ts';

/** What it stands for: the longest beginning that is written in the one way. */
function slowly(text: string): number {
  return /^(?:[^"\\\x00-\x1f]|\\["\\bfnrt])*/.exec(text)![0].length;
}

const endOf = (text: string): number => {
  // Behind something that must not matter.
  const bytes = Buffer.from(`\\\\"${text}`, 'latin1');
  return stringEnd(bytes, 3, bytes.length)! - 3;
};

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('\\n', '\\"', '\\\\', '\\t', '\\b', '\\f', '\\r') },
  { weight: 6, arbitrary: fc.nat(40).map((length) => 'plain, ünd noch mehr Wörter als da sind'.slice(0, length)) },
  { weight: 1, arbitrary: fc.nat(255).map((byte) => String.fromCharCode(byte)) },
  { weight: 1, arbitrary: fc.constantFrom('\\u001b', '\\/', '\\', '"', '\n', '\\a', '\\B') },
);

test('a string ends where an expression says that it ends', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(endOf(pieces.join(''))).toBe(slowly(pieces.join('')));
    }),
    { numRuns: 3000 },
  );
});

test('every byte is told from every other, alone and behind a backslash, at every place of a row', () => {
  const wrong: string[] = [];
  for (let byte = 0; byte < 256; byte++) {
    for (let place = 0; place < 34; place++) {
      for (const before of ['', '\\', '\\\\', '\\\\\\']) {
        const text = `${'x'.repeat(place)}${before}${String.fromCharCode(byte)}${'y'.repeat(34)}`;
        if (endOf(text) !== slowly(text)) wrong.push(text);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('a text that is longer than memory is gone through in parts, and no part cuts an escape in two', () => {
  const parts = ['abc\\\\', '\\n', '0123456789abcde', '\\"'];
  for (let shift = 0; shift < 8; shift++) {
    const text = 'x'.repeat(shift) + parts.join('').repeat(12_000);
    expect(endOf(`${text}"}`)).toBe(text.length);
    expect(endOf(text)).toBe(text.length);
  }
  // The byte before the end of memory.
  const memory = 2 * 65_536 - 257;
  for (const length of [memory - 2, memory - 1, memory, memory + 1]) {
    expect(endOf(`${'x'.repeat(length)}\\`)).toBe(length);
    expect(endOf(`${'x'.repeat(length)}\\nz"`)).toBe(length + 3);
    expect(endOf(`${'x'.repeat(length)}\\qz"`)).toBe(length);
  }
});
