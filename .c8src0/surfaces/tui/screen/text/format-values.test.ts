import { expect, it } from 'vitest';
import { compactNumber } from './format-values.ts';

it.each([
  [-5, '0'],
  [0, '0'],
  [950, '950'],
  [999, '999'],
  [999.5, '1K'],
  [1000, '1K'],
  [2814, '2.81K'],
  [9994, '9.99K'],
  [9995, '10K'],
  [50_140, '50.1K'],
  [258_400, '258K'],
  [999_499, '999K'],
  [999_500, '1M'],
  [1_200_000, '1.2M'],
  [2e15, '2000T'],
])('%d is %s', (number, words) => {
  expect(compactNumber(number)).toBe(words);
});
