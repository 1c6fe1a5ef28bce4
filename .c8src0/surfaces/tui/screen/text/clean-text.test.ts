import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../../testing/test-inputs.ts';
import { visibleText } from '../../../views/terminal/visible-text.ts';
import { cleanText, cleanLine } from './clean-text.ts';

/** Joiners and selectors are part of letters and pictures; the others have a shape of their own. */
const drawn = /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]|\u200C|\u200D|\p{Variation_Selector}/u;

describe('characters without a shape', () => {
  const hidden = Array.from({ length: 0x11_00_00 }, (_, code) => code)
    .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
    .map((code) => String.fromCodePoint(code))
    .filter((sign) => /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(sign) && !drawn.test(sign));

  it('are not drawn', () => {
    expect(hidden.filter((sign) => cleanText(`a${sign}b`) !== 'ab').map(codeOf)).toEqual([]);
  });

  it('have a sign where it matters', () => {
    // Selectors behind a letter choose one of its shapes.
    const shown = hidden.filter((sign) => visibleText(`a ${sign}b`).includes(sign));
    expect(shown.map(codeOf)).toEqual([]);
  });
});

function codeOf(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16);
}

describe('one line', () => {
  it.each([
    ['a \n\n\t b', 'a b'],
    ['a  b\tc', 'a  b c'],
    ['\n a\r\nb \n', ' a b '],
    ['a\n', 'a '],
  ])('%j', (text, line) => expect(cleanLine(text)).toBe(line));

  it('takes a time that grows as its text does', () => {
    expect(expectLinear(64_000, (count) => cleanLine(`a${' '.repeat(count)}b`))).toHaveLength(64_002);
    expect(expectLinear(64_000, (count) => cleanLine(`${' \n'.repeat(count)}b`))).toBe(' b');
  });
});
