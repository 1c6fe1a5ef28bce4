import { expect, test } from 'vitest';
import { rankPath } from './rank-path.ts';

const order = (typed: string, paths: readonly string[]): readonly string[] =>
  paths
    .flatMap((path) => {
      const rank = rankPath(path, typed);
      return rank === undefined ? [] : [{ path, rank }];
    })
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ path }) => path);

test('names come before folders, beginnings before middles, and what is whole before what is spread', () => {
  const paths = [
    'src/thread/deep/parse.ts',
    'src/parse-thread.ts',
    'src/thread.ts',
    'src/other/unthreaded.ts',
    'src/the-read.ts',
    'src/thread',
    'text/nothing.md',
  ];
  expect(order('thread', paths)).toEqual([
    'src/thread',
    'src/thread.ts',
    'src/parse-thread.ts',
    'src/other/unthreaded.ts',
    'src/thread/deep/parse.ts',
    'src/the-read.ts',
  ]);
});

test('letters in upper case count if one was typed', () => {
  expect(order('readme', ['README.md', 'readme.txt'])).toHaveLength(2);
  expect(order('README', ['README.md', 'readme.txt'])).toEqual(['README.md']);
});

test('a long path is judged in little time', () => {
  const start = performance.now();
  expect(rankPath('a'.repeat(100_000), `${'a'.repeat(5000)}b`)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(500);
});
