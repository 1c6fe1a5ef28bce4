import { expect, test } from 'vitest';
import { textTokens } from '../history/text-tokens.ts';
import type { UserWords } from '../history/users-words.ts';
import { keepWords } from './kept-words.ts';

const row = (id: string, text: string): UserWords => ({
  id,
  text,
  pictures: [],
  picturesLeftOut: 0,
  task: false,
  cut: false,
});

test('a table of numbers stays within the room as a tokeniser counts it', () => {
  const table = Array.from({ length: 3000 }, (_, n) => `${n};${(n * 7919) % 1000};${(n * 37) % 1000},00`).join('\n');
  const { rows } = keepWords([row('1', 'Sum it up.'), row('2', table), row('3', 'Thanks.')], {
    tasks: [],
    room: { words: 2000, pictures: 0 },
  });
  const texts = rows.map((one) => ('leftOut' in one ? '' : one.text));
  expect(texts.map((text) => text.length > 0)).toEqual([true, true, true]);
  expect(texts.reduce((sum, text) => sum + textTokens(text), 0)).toBeLessThan(2000);
});
