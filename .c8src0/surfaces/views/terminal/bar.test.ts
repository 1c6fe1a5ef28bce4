import { expect, it } from 'vitest';
import { progressText, stackedBar } from './tables.ts';
import { paint } from './styled-text.ts';
import { countColumns } from '../../../base/text-columns.ts';
import { fitToWidth, padToWidth } from './visible-text.ts';

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
  expect(['abc', '漢字', 'e\u0301', '👩‍💻', ''].map(countColumns)).toEqual([3, 4, 1, 2, 0]);
  expect([
    fitToWidth('漢字漢字', 5),
    fitToWidth('abc', 3),
    fitToWidth('abcd', 3),
    padToWidth('漢', 4),
    padToWidth('a', 3, 'left'),
  ]).toEqual(['漢字…', 'abc', 'ab…', '漢  ', '  a']);
});
