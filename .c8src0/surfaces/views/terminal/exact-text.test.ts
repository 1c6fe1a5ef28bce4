import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unambiguousLine, unambiguousRows } from './exact-text.ts';

describe('a text that the user is asked to allow', () => {
  it.each([
    ['a selector behind a letter', 'sh ./bu\uFE0Fild.sh', 'sh ./bu<U+FE0F>ild.sh'],
    [
      'a selector of Chinese letters',
      'sh ./build\u{E0101}.sh \u845B\u{E0101}',
      'sh ./build<U+E0101>.sh \u845B<U+E0101>',
    ],
    ['a joiner between Chinese letters', 'cat \u6587\u200D\u4EF6.txt', 'cat \u6587<U+200D>\u4EF6.txt'],
    ['a joiner at the end of an Arabic word', 'rm \u0645\u200C', 'rm \u0645<U+200C>'],
    [
      'a Persian word',
      'echo \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645',
      'echo \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645',
    ],
    ['pictures', 'echo ❤️ 👩‍💻 1️⃣ 👍🏽', 'echo ❤️ 👩‍💻 1️⃣ 👍🏽'],
    ['what only looks like one', 'echo ⌚\uFE0F 1\uFE0F 👩\u200Dx', 'echo ⌚<U+FE0F> 1<U+FE0F> 👩<U+200D>x'],
    ['other blanks', 'rm\u00A0-rf\u3000x\u2800', 'rm<U+00A0>-rf<U+3000>x<U+2800>'],
    ['blanks at the end', 'echo \\  ', 'echo \\␠␠'],
    ['a letter in two spellings', 'cat \u00E9 e\u0301', 'cat \u00E9 e<U+0301>'],
    ['our own signs', 'echo ␛ <U+202E> <U+1>', 'echo <U+241B> <U+003C>U+202E> <U+1>'],
    ['control characters', 'a\u001B\r\n\tb', 'a␛␍␊␉b'],
  ])('%s', (_, text, wanted) => expect(unambiguousLine(text)).toBe(wanted));

  const signs = [
    ...'ab <U+0123>\\é葛文❤👩💻1⌚मक\u0645\u06CC가ᄀ',
    '\u0301',
    '\u0316',
    '\u0061\u0301',
    '\u1161',
    '\u212B',
  ];
  const hidden = [
    '\u200B',
    '\u200C',
    '\u200D',
    '\uFE0E',
    '\uFE0F',
    '\u{E0101}',
    '\u034F',
    '\u180B',
    '\u3164',
    '\u{E0041}',
  ];
  const blanks = ['  ', '\u00A0', '\u2003', '\u2800', '\t', '\n', '\r', '\u2028', '\u001B', '␛', '␠', '\u202E'];
  const text = fc.array(fc.constantFrom(...signs, ...hidden, ...blanks), { maxLength: 10 }).map((all) => all.join(''));

  it('never looks like another', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 4, max: 12 }), (one, other, width) => {
        fc.pre(one !== other);
        expect(eye(one, width)).not.toBe(eye(other, width));
      }),
      { numRuns: 1000 },
    );
  });

  it('never looks like itself without a character', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...hidden, ...blanks, ' ', '\u0301'), fc.nat(), (all, odd, place) => {
        const at = [...all].slice(0, place % ([...all].length + 1)).join('').length;
        for (const width of [5, 80])
          expect(eye(all.slice(0, at) + odd + all.slice(at), width)).not.toBe(eye(all, width));
      }),
      { numRuns: 1000 },
    );
  });
});

/** The text as a person sees it: no blanks at the ends of rows, and neither spelling nor characters without a shape. */
function eye(text: string, width: number): string {
  const rows = unambiguousRows(unambiguousLine(text), width).map((row) => row.trimEnd());
  return rows
    .map((row) =>
      row
        .normalize('NFC')
        .replaceAll(/\p{Z}/gu, ' ')
        .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, keptOnly),
    )
    .join('\n');
}

/** Joiners and selectors change what stands beside them where they are left. */
function keptOnly(sign: string): string {
  return ['\u200C', '\u200D', '\uFE0F'].includes(sign) ? sign : '';
}
