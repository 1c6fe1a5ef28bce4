import { expect, it, test } from 'vitest';
import { groupEfforts, nextEffort, initialEffortRow } from './model.ts';

const all = ['low', 'medium', 'high', 'xhigh', 'max'];

it('the top efforts stand apart, unless a model has no others', () => {
  expect(groupEfforts(all)).toEqual({ usual: ['low', 'medium', 'high'], top: ['xhigh', 'max'] });
  expect(groupEfforts(['max'])).toEqual({ usual: ['max'], top: [] });
  expect(groupEfforts([])).toEqual({ usual: [], top: [] });
});

test.each([
  ['medium', 1, 'high'],
  ['high', 1, undefined],
  ['xhigh', 1, undefined],
  ['max', -1, 'high'],
  ['low', -1, undefined],
  ['unknown', 1, undefined],
] as const)('from %s by %i to %s', (current, by, next) => {
  expect(nextEffort(all, { current, by })).toBe(next);
});

it('without a choice it begins at the default of the model', () => {
  expect(nextEffort(all, { fallback: 'medium', by: -1 })).toBe('low');
  expect(nextEffort(all, { by: 1 })).toBeUndefined();
});

test.each([
  [{ usual: 'medium' }, 1],
  [{ present: 'high', usual: 'medium' }, 2],
  [{ present: 'minimal', usual: 'medium' }, 1],
  [{ present: 'xhigh', usual: 'medium' }, 3],
  [{}, 0],
])('with %o the list opens at row %i', (known, row) => {
  expect(initialEffortRow(all, known)).toBe(row);
});
