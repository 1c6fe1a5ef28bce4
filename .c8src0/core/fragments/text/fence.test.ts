import { expect, test } from 'vitest';
import { fenceFor } from './cut-and-fence-text.ts';

const shortest = 5;

test.each<readonly [string, readonly string[], string]>([
  ['nothing like it', ['a\nb', ''], '====='],
  ['signs inside a line', ['a ====== b'], '====='],
  ['a line that begins with it', ['a\n====== b'], '======='],
  ['a first line', ['====='], '======'],
  ['a line after a carriage return', ['a\r====='], '======'],
  ['a very long line', ['='.repeat(100_000)], '=====1'],
  ['a very long line and numbers', ['='.repeat(100), '=====1\n=====23', '=====4'], '=====3'],
])('no line begins with the fence: %s', (_, texts, fence) => {
  expect(fenceFor('=', texts)).toBe(fence);
  expect(texts.some((text) => text.split(/[\n\r]/).some((line) => line.startsWith(fence)))).toBe(false);
});

test('it stays short however many of them are taken', () => {
  const text = `${'-'.repeat(20)}\n${Array.from({ length: 50_000 }, (_, number) => `-----${number}`).join('\n')}`;
  expect(fenceFor('-', [text]).length).toBeLessThanOrEqual(shortest + 6);
});
