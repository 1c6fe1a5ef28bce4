import { expect, it } from 'vitest';
import { paint, red } from './styled-text.ts';
import { formatTable, tableSpans } from './tables.ts';

it('a table that is too wide is shortened in its widest texts, and in no number', () => {
  const rows = [
    ['what', 'tokens', 'why'],
    ['context: '.padEnd(70, 'x'), 1_234_567, 'told again'.padEnd(33, 'y')],
  ];
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  expect(widest(formatTable(rows))).toBe(116);
  const fitted = formatTable(rows, { width: 100 });
  expect(widest(fitted)).toBe(100);
  expect(fitted).toContain('1,234,567');
  expect(fitted).toContain('…');
  expect(fitted).toContain('told again'.padEnd(33, 'y'));
  expect(formatTable(rows, { width: 200 })).toBe(formatTable(rows));
});

it('a column that must stay whole leaves the shortening to others', () => {
  const rows = [['a name that must be read', 'a value that may be cut at its end']];
  expect(formatTable(rows, { width: 40, whole: [0] })).toBe('a name that must be read  a value that …\n');
});

it('a column that may not be wide shortens its texts, or where there is no width lets them stand out', () => {
  const rows = [
    ['a', 'short', 'from'],
    ['b', 'a value that is long', 'file'],
  ];
  expect(formatTable(rows, { width: 100, most: { 1: 10 } })).toBe('a  short       from\nb  a value t…  file\n');
  expect(formatTable(rows, { most: { 1: 10 } })).toBe('a  short       from\nb  a value that is long  file\n');
});

it('wide characters take two columns, and looks take none', () => {
  const rows = [
    ['漢字', red('no')],
    ['abc', 'yes'],
  ];
  expect(formatTable(rows)).toBe('漢字  no\nabc   yes\n');
  expect(paint(tableSpans(rows), true)).toBe('漢字  \u001B[31mno\u001B[39m\nabc   yes\n');
});
