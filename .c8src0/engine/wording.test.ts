import { expect, it } from 'vitest';
import { approximateCount } from './wording.ts';

it('a handful of tokens is not about a handful', () => {
  expect([approximateCount(3), approximateCount(12), approximateCount(1200)]).toEqual(['3', 'about 12', 'about 1,200']);
});
