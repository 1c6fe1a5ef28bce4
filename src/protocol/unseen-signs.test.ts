import { expect, test } from 'vitest';
import { isBlankText } from './unseen-signs.ts';

test.each([
  ['', true],
  [' \t\r\n\v\f', true],
  ['\u00A0\u2003\u3000\uFEFF', true],
  ['\u200B\u200D\u2060\u00AD', true],
  ['\u3164\u115F\uFFA0\u2800', true],
  ['\uFE0F\u{E0020}\u0000', true],
  ['\u200Ba', false],
  [' . ', false],
  ['👍', false],
])('%j is blank: %s', (text, isBlank) => {
  expect(isBlankText(text)).toBe(isBlank);
});
