import { expect, test } from 'vitest';
import { diffBudget, fittingDiff } from './fitting-diff.ts';

const file = (name: string, lines: number): string => `diff --git a/${name} b/${name}\n${'+x\n'.repeat(lines)}`;

test('whole files, in their order, as far as they fit', () => {
  const diff = `${file('a b.ts', 2)}${file('large.ts', 500)}${file('c.ts', 2)}`;
  const { text, leftOut } = fittingDiff(diff, 100, (each) => each.length);
  expect(text).toBe(`${file('a b.ts', 2)}${file('c.ts', 2)}`.trimEnd());
  expect(leftOut).toEqual(['large.ts']);
  expect(fittingDiff('', 100, (each) => each.length)).toEqual({ text: '', leftOut: [] });
});

test('the budget is a share of the window, and never more than its figure', () => {
  expect([8_000, 100_000, 1_000_000].map(diffBudget)).toEqual([1600, 20_000, 40_000]);
});
