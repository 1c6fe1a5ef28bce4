import { expect, test } from 'vitest';
import { fitDiff } from './fit-roles.ts';

const file = (name: string, lines: number): string => `diff --git a/${name} b/${name}\n${'+x\n'.repeat(lines)}`;

test('whole files, in their order, as far as they fit', () => {
  const diff = `${file('a b.ts', 2)}${file('large.ts', 500)}${file('c.ts', 2)}`;
  const { text, leftOut } = fitDiff(diff, 100, (each) => each.length);
  expect(text).toBe(`${file('a b.ts', 2)}${file('c.ts', 2)}`.trimEnd());
  expect(leftOut).toEqual(['large.ts']);
  expect(fitDiff('', 100, (each) => each.length)).toEqual({ text: '', leftOut: [], isCut: false });
});

test('a file whose middle is missing is left out, and so may be others', () => {
  const cut = `${file('a.ts', 2)}diff --git a/b.ts b/b.ts\n+x\n\n... 5000 bytes omitted ...\n+y\n${file('c.ts', 1)}`;
  const { text, leftOut, isCut } = fitDiff(cut, 10_000, (each) => each.length);
  expect([leftOut, isCut]).toEqual([['b.ts'], true]);
  expect(text).toBe(`${file('a.ts', 2)}${file('c.ts', 1)}`.trimEnd());
  expect(fitDiff(`${file('a.ts', 1)}+... 5 bytes omitted ...\n`, 1000, (each) => each.length).isCut).toBe(false);
});
