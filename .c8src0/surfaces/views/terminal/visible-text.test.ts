import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countColumns } from '../../../base/text-columns.ts';
import { unambiguousRows } from './exact-text.ts';
import { wrap } from './visible-text.ts';

it('breaks lines between words where it can, by the columns that they take', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrap('漢字漢字漢', 5)).toEqual(['漢字', '漢字', '漢']);
  expect(wrap('a\n\nb', Infinity)).toEqual(['a', '', 'b']);
});

it('makes no row wider than its width, and splits no sign, however many code units one has', () => {
  const sign = fc.constantFrom(...'ab漢한', ' ', '👨‍👩‍👧‍👦', '🇩🇪', `a${'\u0301'.repeat(9)}`, '\u0301');
  const text = fc.array(sign, { maxLength: 60 }).map((signs) => signs.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 12 }), (line, width) => {
      for (const rows of [wrap(line, width), unambiguousRows(line, width)]) {
        for (const row of rows) {
          expect(countColumns(row)).toBeLessThanOrEqual(width);
          expect(row.isWellFormed()).toBe(true);
        }
      }
      expect(unambiguousRows(line, width).join('')).toBe(line);
    }),
    { numRuns: 500 },
  );
});

it('takes a time that grows with the text alone', () => {
  expect(wrap('👨‍👩‍👧‍👦'.repeat(40_000), 20)).toHaveLength(4000);
  expect(wrap('a'.repeat(1_000_000), 20)).toHaveLength(50_000);
});
