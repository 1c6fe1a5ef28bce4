import { expect, it } from 'vitest';
import { about } from './number-words.ts';

it('a handful of tokens is not about a handful', () => {
  expect([about(3), about(12), about(1200)]).toEqual(['3', 'about 12', 'about 1,200']);
});
