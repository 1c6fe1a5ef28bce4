import { describe, expect, it } from 'vitest';
import { findShift, lineMoves, shiftRows } from './write-rows.ts';

const [one, two, three, composer, status] = ['one', 'two', 'three', 'composer', 'status'].map(
  (word) => `a row with ${word} in it`,
) as [string, string, string, string, string];

describe('rows that moved', () => {
  it.each([
    {
      name: 'down, for one that came above them',
      old: [one, composer, status, ''],
      next: [one, two, composer, status],
      shift: { from: 1, to: 4, by: 1 },
      moves: [{ row: 1, lines: 1, move: 'insert' }],
    },
    {
      name: 'up, for one that went',
      old: [one, two, composer, status],
      next: [one, composer, status, ''],
      shift: { from: 1, to: 4, by: -1 },
      moves: [{ row: 1, lines: 1, move: 'delete' }],
    },
    {
      name: 'up, above rows that stay',
      old: [one, two, three, composer, status],
      next: [two, three, 'new', composer, status],
      shift: { from: 0, to: 3, by: -1 },
      moves: [
        { row: 0, lines: 1, move: 'delete' },
        { row: 2, lines: 1, move: 'insert' },
      ],
    },
    {
      name: 'down, above rows that stay',
      old: [one, two, three, composer, status],
      next: ['new', one, two, composer, status],
      shift: { from: 0, to: 3, by: 1 },
      moves: [
        { row: 2, lines: 1, move: 'delete' },
        { row: 0, lines: 1, move: 'insert' },
      ],
    },
  ])('$name', ({ old, next, shift, moves }) => {
    expect(findShift(old, next)).toEqual(shift);
    expect(lineMoves(old, shift)).toEqual(moves);
    const written = shiftRows(old, shift).filter((row, at) => row !== next[at]);
    expect(written.every((row) => row === '')).toBe(true);
  });

  it('are left alone where a move gains nothing', () => {
    expect(findShift([one, two], [one, three])).toBeUndefined();
    expect(findShift(['a', 'b', ''], ['x', 'a', 'b'])).toBeUndefined();
  });
});
