import { expect, test } from 'vitest';
import { isVariableName } from './variable-name.ts';

test.each(['OPENAI_API_KEY', 'my_token', 'KEY2', '_x', 'A_VERY_LONG_NAME_OF_2026_WITH_4_OR_5_WORDS', 'AZUREOPENAIKEY'])(
  '%s is a name',
  (text) => {
    expect(isVariableName(text)).toBe(true);
  },
);

test.each([
  'sk-abcdef1234567890abcdef',
  'gsk_4f9k2l8x1m7p3q5r6s0t',
  'qWcVbNmRtYuPaSdFgHjKlZx7vxQwErTz',
  'AIzaSyDdIxhCZtExvySjMmWEfRqaCPzqKqqs3HI',
  'A1B2C3D4E5F60718293A4B5C6D7E8F90',
  '2KEY',
  'A B',
  '',
])('%s is none', (text) => {
  expect(isVariableName(text)).toBe(false);
});
