import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endByPattern, jsonStringEnd } from './stored-item-text.ts';
import { anyCharacter } from '../../../testing/test-inputs.ts';

/** The slow reference: the longest beginning in which each character is written as `JSON.stringify` writes it. */
function slowly(text: string): number {
  for (let at = 0; ;) {
    const unit = text.slice(at, text[at] === '\\' ? at + 2 : at + 1);
    if (unit === '' || !isWritten(unit)) return at;
    at += unit.length;
  }
}

const known = new Map<string, boolean>();

function isWritten(unit: string): boolean {
  const written = known.get(unit) ?? isWrittenNow(unit);
  known.set(unit, written);
  return written;
}

function isWrittenNow(unit: string): boolean {
  try {
    return JSON.stringify(JSON.parse(`"${unit}"`)) === `"${unit}"`;
  } catch {
    return false;
  }
}

const endIn = (bytes: Buffer): number => {
  // Behind something that must not matter.
  const placed = Buffer.concat([Buffer.from('\\\\"'), bytes]);
  const end = jsonStringEnd(placed, 3, placed.length);
  // The pattern is for systems without WebAssembly.
  expect(endByPattern(placed, 3, placed.length)).toBe(end);
  return end - 3;
};
const endOf = (text: string): number => endIn(Buffer.from(text, 'latin1'));

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('\\n', '\\"', '\\\\', '\\t', '\\b', '\\f', '\\r') },
  { weight: 6, arbitrary: fc.nat(40).map((length) => 'plain, ünd noch mehr Wörter als da sind'.slice(0, length)) },
  { weight: 1, arbitrary: fc.nat(255).map((byte) => String.fromCharCode(byte)) },
  { weight: 1, arbitrary: fc.constantFrom('\\u001b', '\\/', '\\', '"', '\n', '\\a', '\\B') },
);

test('a string ends where a slow reader says that it ends', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(endOf(pieces.join(''))).toBe(slowly(pieces.join('')));
    }),
    { numRuns: 3000 },
  );
});

test('every byte is distinguished from every other, alone and behind backslashes', () => {
  const wrong: string[] = [];
  for (let byte = 0; byte < 256; byte++) {
    for (const place of [0, 1, 2, 15, 16, 17, 33]) {
      for (const before of ['', '\\', '\\\\', '\\\\\\']) {
        const text = `${'x'.repeat(place)}${before}${String.fromCharCode(byte)}${'y'.repeat(34)}`;
        if (endOf(text) !== slowly(text)) wrong.push(text);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('what is passed in full is what JSON.stringify makes of its text, and all that it makes is passed but \\u', () => {
  const unit = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('\ud800', '\udc00', '\ud83d\ude00', '\u2028', '\u007f', '\u001b', 'é', '\\', '"', '\n'),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 20 }), (units) => {
      const written = JSON.stringify(units.join('')).slice(1, -1);
      const bytes = Buffer.from(written);
      const passed = bytes.toString('utf8', 0, endIn(bytes));
      expect(JSON.stringify(JSON.parse(`"${passed}"`))).toBe(`"${passed}"`);
      expect(passed).toBe(/^(?:[^\\]|\\[^u])*/.exec(written)![0]);
    }),
    { numRuns: 3000 },
  );
});

test('no piece of a long text cuts an escape in two', () => {
  const parts = ['abc\\\\', '\\n', '0123456789abcde', '\\"'];
  for (let shift = 0; shift < 8; shift++) {
    const text = 'x'.repeat(shift) + parts.join('').repeat(2000);
    expect(endOf(`${text}"}`)).toBe(text.length);
    expect(endOf(text)).toBe(text.length);
  }
  for (const length of [
    4094, 4095, 4096, 4097, 8190, 8191, 8192, 8193, 130_812, 130_813, 130_814, 130_815, 130_816, 130_817,
  ]) {
    expect(endOf(`${'x'.repeat(length)}\\`)).toBe(length);
    expect(endOf(`${'x'.repeat(length)}\\nz"`)).toBe(length + 3);
    expect(endOf(`${'x'.repeat(length)}\\qz"`)).toBe(length);
    expect(endOf(`${'x'.repeat(length)}"z`)).toBe(length);
  }
});

test('a text of escapes alone is gone through, however long it is', () => {
  expect(endOf('\\n'.repeat(4_000_000))).toBe(8_000_000);
});
