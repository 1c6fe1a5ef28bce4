import { expect, test } from 'vitest';
import { expectLinear } from '../../testing/test-inputs.ts';
import { rankPath } from './search-files.ts';

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

test('a long path is judged in one pass', () => {
  const judged = expectLinear(128_000, (length) => rankPath('a'.repeat(length), `${'a'.repeat(length / 2)}b`));
  expect(judged).toBeUndefined();
});
