import { expect, test } from 'vitest';
import { invisibleRegexClass, isBlankText, replaceInvisible, withoutInvisible } from './invisible-characters.ts';

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

test.each([
  ['selectors behind letters', 'run\uFE00 \u{E0101}\u{E0152}it', 'run it'],
  ['selectors behind a Chinese character', '葛\u{E0100}城', '葛城'],
  ['selectors behind digits', '0\uFE0F1\uFE0E2 3\uFE0F\u20E3', '012 3\uFE0F\u20E3'],
  ['selectors and joiners behind those', 'x\u180B\u180C\u180F\u17B4\u200D\u180E\u180B\u200Cy', 'xy'],
  ['a joiner that joins nothing', '👍\u200D a', '👍 a'],
  ['tags behind a letter', 'a\u{E0041}\u{E007F}b', 'ab'],
  ['letters, signs and marks that are drawn as nothing', 'a\uFFFCb\u{16FE4}c\u{1D159}d', 'abcd'],
  ['bidi controls', 'a\u202Eb\u2066c', 'abc'],
  ['half a character', 'a\uD800b', 'a\uFFFDb'],
])('%s do not reach the model', (_, text, wanted) => {
  expect(withoutInvisible(text)).toBe(wanted);
});

test.each([
  ['the selector of a picture', '❤️ 1️⃣'],
  ['joined pictures', '👩🏽\u200D👩\u200D👧 🏳\uFE0F\u200D🌈'],
  ['the joiners of scripts', 'می\u200Cخواهم क्\u200Dष'],
  ['newline and tab', 'a\n\tb'],
  ['signs around a number', '\u06DD١٢'],
])('%s stay', (_, text) => {
  expect(withoutInvisible(text)).toBe(text);
});

test('a text that comes in pieces is the same', () => {
  const text = 'a\u200Db👩\u200D👧می\u200Cخ\u{E0101}葛\u{E0100}x\uFE0F';
  const whole = replaceInvisible(text, () => '?');
  const beginnings = [...text].map((_, at, all) => all.slice(0, at).join(''));
  expect(beginnings.filter((part) => !whole.startsWith(replaceInvisible(part, () => '?')))).toEqual([]);
});

test('each character is looked at by its own properties, whatever is told apart fast', () => {
  const all = new RegExp(`[${invisibleRegexClass}]`, 'u');
  const kept = /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\n\t]/u;
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10_ffff; code++) {
    const sign = String.fromCodePoint(code);
    const isLeft = replaceInvisible(sign, () => '') === '';
    if (isLeft !== (all.test(sign) && !kept.test(sign))) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});
