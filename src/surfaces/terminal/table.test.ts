import { expect, it } from 'vitest';
import { about, table } from './table.ts';

it('a table that is too wide is shortened in its widest texts, and in no number', () => {
  const rows = [
    ['what', 'tokens', 'why'],
    ['context: '.padEnd(70, 'x'), 1_234_567, 'told again'.padEnd(33, 'y')],
  ];
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  expect(widest(table(rows))).toBe(116);
  const fitted = table(rows, { width: 100 });
  expect(widest(fitted)).toBe(100);
  expect(fitted).toContain('1,234,567');
  expect(fitted).toContain('…');
  expect(fitted).toContain('told again'.padEnd(33, 'y'));
  expect(table(rows, { width: 200 })).toBe(table(rows));
});

it('a handful of tokens is not about a handful', () => {
  expect([about(3), about(12), about(1200)]).toEqual(['3', 'about 12', 'about 1,200']);
});
