import { expect, it } from 'vitest';
import { changedFiles, type ChunkLine, type Hunk } from './patch.ts';

const lines = (...signed: readonly string[]): readonly ChunkLine[] =>
  signed.map((line) => ({
    kind: ({ ' ': 'context', '-': 'remove', '+': 'add' } as const)[line[0] as ' '],
    text: line.slice(1),
  }));
const update: Hunk = {
  kind: 'update',
  path: 'a.txt',
  chunks: [
    { lines: lines(' one', '-two', '+zwei', '+drei'), endOfFile: false },
    { anchor: 'fn', lines: lines('-ten'), endOfFile: false },
    { lines: lines('+end'), endOfFile: true },
  ],
};

it('have the numbers of lines once it is known where the chunks stand', () => {
  const [file] = changedFiles([update], '/w', [[99, 120, 130]]);
  expect(file).toEqual({
    path: '/w/a.txt',
    kind: 'update',
    diff: '@@ -100,2 +100,3 @@\n one\n-two\n+zwei\n+drei\n@@ -121,1 +121,0 @@ fn\n-ten\n@@ -130,0 +131,1 @@\n+end',
  });
});

it('have none before', () => {
  const [file] = changedFiles([update], '/w');
  expect(file?.diff).toBe('@@\n one\n-two\n+zwei\n+drei\n@@ fn\n-ten\n@@\n+end');
});

it('a replacement has those of the first place', () => {
  const replace: Hunk = { kind: 'replace', path: 'b', find: 'x\n', put: 'y\nz', all: false };
  expect(changedFiles([replace], '/w', [[4]])[0]?.diff).toBe('@@ -5,1 +5,2 @@\n-x\n+y\n+z');
});
