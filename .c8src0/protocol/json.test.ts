import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../testing/test-inputs.ts';
import { isNestedTooDeeply, mostTextLevels, parseJsonObject } from './json.ts';

const nested = (levels: number, inner: string): string =>
  `${'{"a":'.repeat(levels - 1)}{"b":${inner}}${'}'.repeat(levels - 1)}`;

test('a text has so many levels and no more', () => {
  const deepest = nested(mostTextLevels, '1');
  expect(parseJsonObject(deepest)).toEqual(JSON.parse(deepest));
  expect(parseJsonObject(nested(mostTextLevels + 1, '1'))).toBeUndefined();
});

test('brackets in strings are no levels, whatever is escaped in them', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[[{"\\a\u4e2d]*$/), (text) => {
      const value = { a: text, b: '['.repeat(2 * mostTextLevels), [text]: [text] };
      expect(parseJsonObject(JSON.stringify(value))).toEqual(value);
    }),
  );
});

test('many lists beside each other are no levels', () => {
  expect(isNestedTooDeeply(JSON.stringify({ a: Array.from({ length: 5000 }, () => []) }))).toBe(false);
});

test.each([
  ['strings of quotes', (count: number) => `{"a":"${'\\"'.repeat(count)}"}`],
  ['strings of backslashes', (count: number) => `{"a":"${'\\\\'.repeat(count)}"}`],
  ['a string that does not end', (count: number) => `{"a":"${'\\"'.repeat(count)}`],
  ['small values', (count: number) => `{"a":[${'{"a":[]},'.repeat(count)}1]}`],
])('a text is looked at in one pass: %s', (_name, text) => {
  expect(expectLinear(300_000, (count) => isNestedTooDeeply(text(count)))).toBe(false);
});
