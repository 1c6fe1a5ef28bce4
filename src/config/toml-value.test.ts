import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import type { Json } from '../protocol/json.ts';
import { parseTomlValue } from './toml-value.ts';

test.each<[string, Json | undefined]>([
  ['"plain"', 'plain'],
  [String.raw`"a\tb\"c\\ A \U0001F600"`, 'a\tb"c\\ A 😀'],
  [String.raw`'C:\raw'`, String.raw`C:\raw`],
  ['42', 42],
  ['-1_000', -1000],
  ['0xff', 255],
  ['0o17', 15],
  ['0b101', 5],
  ['1.5e3', 1500],
  ['true', true],
  ['false # not now', false],
  ['[]', []],
  ['["a", "b",]', ['a', 'b']],
  ['[1, # one\n 2]', [1, 2]],
  ['{}', {}],
  ['{ a = 1, b.c = "x", "d e" = [true] }', { a: 1, b: { c: 'x' }, 'd e': [true] }],
  ['', undefined],
  ['plain', undefined],
  ['"open', undefined],
  [String.raw`"\q"`, undefined],
  [String.raw`"\uD800"`, undefined],
  ['"""three"""', undefined],
  ['007', undefined],
  ['1.', undefined],
  ['1__0', undefined],
  ['inf', undefined],
  ['2026-11-15', undefined],
  ['99999999999999999999', undefined],
  ['[1 2]', undefined],
  ['{ a = 1, }', undefined],
  ['{ a = 1, a = 2 }', undefined],
  ['{ a = 1, a.b = 2 }', undefined],
  ['{ a = { b = 1 }, a.c = 2 }', undefined],
  ['"a" "b"', undefined],
])('%s is read as %j', (text, expected) => {
  expect(parseTomlValue(text)).toEqual(expected);
});

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
}));

test('what the TOML library writes on one line is read back', () => {
  fc.assert(
    fc.property(value, (original) => {
      // Inside an array of mixed values the library writes everything inline.
      const text = stringify({ x: [0, original] })
        .trim()
        .slice('x = '.length);
      expect(parseTomlValue(text)).toEqual(parse(`x = ${text}`)['x']);
    }),
  );
});

test('whatever is read, the TOML library reads as the same', () => {
  const pieces = [
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ',',
    '=',
    '.',
    ' ',
    '#',
    '\\',
    'a',
    'true',
    '0',
    '1',
    '_',
    '-',
    'e',
    '\n',
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (written) => {
      const read = parseTomlValue(written);
      expect(read).toEqual(read === undefined ? undefined : parse(`x = ${written}`)['x']);
    }),
    { numRuns: 5000 },
  );
});
