import { expect, it } from 'vitest';
import { wrap } from './wrap.ts';

it('breaks lines between words where it can, by the columns that they take', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrap('漢字漢字漢', 5)).toEqual(['漢字', '漢字', '漢']);
  expect(wrap('a\n\nb', Infinity)).toEqual(['a', '', 'b']);
});
