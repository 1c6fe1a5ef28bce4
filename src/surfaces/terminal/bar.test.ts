import { expect, it } from 'vitest';
import { progressText, stackedBar } from './bar.ts';
import { paint } from './look.ts';
import { columnsOf } from '../../base/columns.ts';
import { fit, pad } from './text-width.ts';

const parts = [
  { amount: 50, letter: 'u', look: 'green' },
  { amount: 1, letter: 't', look: 'cyan' },
  { amount: 0, letter: 'x', look: 'red' },
  { amount: 30, letter: 'm', look: 'blue' },
] as const;

it('draws each part by its share, a small one by one column, and the rest as free', () => {
  const drawn = (width: number): string => paint(stackedBar(parts, { whole: 100, width, color: false }), false);
  expect(drawn(20)).toBe('uuuuuuuuutmmmmmm....');
  expect(drawn(10)).toBe('uuuutmmm..');
  expect(drawn(40)).toHaveLength(40);
});

it('fills the whole width and no more when parts exceed the whole', () => {
  expect(paint(stackedBar(parts, { whole: 40, width: 10, color: false }), false)).toHaveLength(10);
});

it('shows progress in as many columns as there are', () => {
  expect(progressText('reading', { done: 5, total: 10, width: 80 })).toBe(
    'reading [###############...............] 5/10',
  );
  expect(progressText('reading', { done: 5, total: 10, width: 14 })).toBe('reading 5/10');
});

it('knows wide characters, marks and pictures', () => {
  expect(['abc', '漢字', 'e\u0301', '👩‍💻', ''].map(columnsOf)).toEqual([3, 4, 1, 2, 0]);
  expect([fit('漢字漢字', 5), fit('abc', 3), fit('abcd', 3), pad('漢', 4), pad('a', 3, 'left')]).toEqual([
    '漢字…',
    'abc',
    'ab…',
    '漢  ',
    '  a',
  ]);
});
