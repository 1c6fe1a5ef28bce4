import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { anyCharacter, expectLinear } from '../../../../testing/test-inputs.ts';
import { breakLine, wrapRow } from './wrap-row.ts';
import { cleanText, cleanLine, withoutTabs } from './clean-text.ts';
import { countColumns } from '../../../../base/text-columns.ts';
import { cutLine, drawRow } from './draw-row.ts';
import { elapsedWords, shownPath } from './format-values.ts';
import type { Look } from './look.ts';
import { OutputColours } from './output-colours.ts';
import { boldStyle, plain, styled } from './style.ts';

const look: Look = {
  width: 20,
  colours: 'true',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/home/ada/engine',
  home: '/home/ada',
};

/** Texts with all that makes columns hard to count. */
const hardText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ' ',
        '  ',
        'word',
        'https://example.org/a?b=c',
        '漢',
        'é',
        'e\u0301',
        '👩‍👩‍👧',
        '🇩🇪',
        '1️⃣',
        '⚠️',
        '한',
        'ﾊﾞ',
        'नि',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => cleanText(parts.join('')).replaceAll(/[\n\t]/g, ' '));

const shownRows = (line: string, width: number): readonly string[] =>
  wrapRow([plain(line)], { width }).map((row) => row.map(({ text }) => text).join(''));

describe('columns of a line', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['naïve · café', 12],
    ['漢字', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪🇫🇷', 4],
    ['1️⃣', 2],
    ['⚠️', 2],
    ['⚠', 1],
    ['✔', 1],
    ['한국', 4],
    ['\u1112\u1161\u11ab', 2],
    ['ﾊﾞ', 2],
    ['Ａ', 2],
    ['\u0301', 0],
  ])('%j takes %i', (line, columns) => {
    expect(countColumns(line)).toBe(columns);
  });
});

describe('a line in rows', () => {
  it.each([
    ['breaks between words', 'the quick brown fox', 10, ['the quick', 'brown fox']],
    ['keeps an address whole', 'see https://example.org/a now', 22, ['see', 'https://example.org/a', 'now']],
    ['splits what no row holds', 'a'.repeat(25), 10, ['a'.repeat(10), 'a'.repeat(10), 'aaaaa']],
    ['keeps blanks at the start', '    code is here', 12, ['    code is', 'here']],
    ['breaks scripts without blanks', '漢字漢字漢字', 7, ['漢字漢', '字漢字']],
    ['never splits a picture', 'ab👩‍👩‍👧cd', 3, ['ab', '👩‍👩‍👧', 'cd']],
    ['leaves an empty line', '', 5, ['']],
  ])('%s', (_, line, width, rows) => {
    expect(shownRows(line, width)).toEqual(rows);
  });

  it('is never wider than the width, and loses nothing but blanks', () => {
    fc.assert(
      fc.property(hardText, fc.integer({ min: 2, max: 30 }), fc.boolean(), (line, width, isHard) => {
        const rows = wrapRow([plain(line)], { width, breaking: isHard ? 'anywhere' : 'words' });
        for (const row of rows) expect(countColumns(row.map(({ text }) => text).join(''))).toBeLessThanOrEqual(width);
        const all = rows.flatMap((row) => row.map(({ text }) => text)).join('');
        expect(all.replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
        expect(isHard ? all : line).toBe(line);
      }),
      { numRuns: 300 * inject('runFactor') },
    );
  });

  it('wraps the same text the same way, however it is styled', () => {
    fc.assert(
      fc.property(hardText, fc.integer({ min: 2, max: 30 }), fc.nat(40), (line, width, at) => {
        const row = [plain(line.slice(0, at)), styled(line.slice(at), boldStyle)];
        const styledRows = wrapRow(row, { width }).map((each) => each.map(({ text }) => text).join(''));
        expect(styledRows).toEqual(shownRows(line, width));
      }),
      { numRuns: 200 * inject('runFactor') },
    );
  });

  it('has room for text behind any indent', () => {
    const indent = [plain('        ')];
    for (let width = 1; width < 12; width += 1) {
      const rows = wrapRow([plain('some words 漢字')], { width, first: indent, rest: indent });
      for (const row of rows)
        expect(countColumns(drawRow(row, { ...look, width, colours: 'none' }))).toBeLessThanOrEqual(width);
    }
  });

  it('takes a long line in one pass', () => {
    const broken = (text: string) => (count: number) => breakLine(text.repeat(count), 20, 20, 'words');
    // Two numbers for each row.
    expect(expectLinear(128_000, broken('x'))).toHaveLength(12_800);
    expect(expectLinear(32_000, broken('é漢')).length).toBeGreaterThan(9000);
    expect(expectLinear(6400, (count) => countColumns('👩‍👩‍👧e\u0301'.repeat(count)))).toBe(19_200);
  });
});

describe('cutting a line', () => {
  it.each([
    ['short', 5, 'unicode', 'short'],
    ['too long', 5, 'unicode', 'too …'],
    ['too long', 5, 'ascii', 'to...'],
    ['too long', 2, 'ascii', '..'],
    ['漢字漢字', 4, 'unicode', '漢…'],
    ['漢字漢字', 5, 'unicode', '漢字…'],
    ['x', 0, 'unicode', ''],
  ] as const)('%j to %i columns in %s', (line, columns, glyphs, cut) => {
    expect(cutLine(line, columns, { glyphs })).toBe(cut);
  });
});

describe('clean text', () => {
  it.each([
    ['colours', '\u001B[31mred\u001B[0m', 'red'],
    ['moves of the cursor', 'a\u001B[2Jb\u001B[10;10Hc', 'abc'],
    ['titles, both ends', '\u001B]0;title\u0007a\u001B]8;;http://x\u001B\\b', 'ab'],
    ['texts for devices', 'a\u001BPq#0\u001B\\b\u001B_x\u001B\\c', 'abc'],
    ['C1 forms', 'a\u009B31mb\u009D0;t\u009Cc\u0085d', 'abcd'],
    ['a text for the terminal without end keeps its words', 'a\u001B]0;words\nb', 'a0;words\nb'],
    ['a lone escape', 'a\u001B', 'a'],
    ['short sequences', '\u001Bc\u001B(B\u001B7a', 'a'],
    ['bidi controls', 'a\u202Eb\u2066c\u200Fd', 'abcd'],
    ['signs without a shape', 'a\u200Bb\uFEFFc\u00ADd\u{E0041}e', 'abcde'],
    ['lone surrogates', 'a\uD800b', 'a\uFFFDb'],
    ['ends of lines', 'a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
    ['overstruck letters', 'N\bNA\bA _\bx', 'NA x'],
    ['what is fine', 'tab\there\n👩‍👩‍👧 é漢', 'tab\there\n👩‍👩‍👧 é漢'],
  ])('%s', (_, text, wanted) => {
    expect(cleanText(text)).toBe(wanted);
  });

  it('holds no control character, whatever comes', () => {
    const hostile = fc
      .array(
        fc.oneof(
          fc.constantFrom('\u001B', '[', ']', '\u009B', '\u009D', 'P', ';', '0', 'm', '\u0007', '\\', '\r', '\n'),
          fc.string({ unit: anyCharacter, maxLength: 3 }),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(hostile, (text) => {
        expect(cleanText(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
        expect(cleanLine(text)).not.toMatch(/[\n\t]/);
      }),
      { numRuns: 1000 * inject('runFactor') },
    );
  });

  it.each(['\u001B]', '\u009D', '\u001B[1', '\u001B', 'a\b'])('takes a text of nothing but %j in one pass', (part) => {
    expectLinear(64_000, (count) => cleanText(part.repeat(count)));
  });

  it('puts tabs at their stops', () => {
    expect(withoutTabs('a\tb\t\tc', 4)).toBe('a   b       c');
  });
});

describe('colours of an output', () => {
  it('keeps colours and weights, and nothing else', () => {
    const colours = new OutputColours();
    expect(colours.read('\u001B[1;31mbad\u001B[22m \u001B]0;t\u0007x\u001B[2K\u001B[0m ok')).toEqual([
      { text: 'bad', style: { weight: 'bold', colour: 1 } },
      { text: ' x', style: { colour: 1 } },
      { text: ' ok' },
    ]);
    expect(colours.read('\u001B[38;5;200ma\u001B[48;2;1;2;3mb')).toEqual([
      { text: 'a', style: { colour: 200 } },
      { text: 'b', style: { colour: 200, back: 0x1010203 } },
    ]);
    // The state goes from line to line.
    expect(colours.read('c')).toEqual([{ text: 'c', style: { colour: 200, back: 0x1010203 } }]);
  });

  it('draws them as the terminal can', () => {
    const row = [styled('x', { colour: 0x1ff0000 }), styled('y', { colour: 9 }), plain('z')];
    expect(drawRow(row, look)).toBe('\u001B[38;2;255;0;0mx\u001B[0;91my\u001B[0mz');
    expect(drawRow(row, { ...look, colours: '256' })).toBe('\u001B[38;5;196mx\u001B[0;91my\u001B[0mz');
    expect(drawRow(row, { ...look, colours: 'sixteen' })).toBe('x\u001B[91my\u001B[0mz');
    expect(drawRow(row, { ...look, colours: 'none' })).toBe('xyz');
  });
});

it.each([
  [900, '<1s'],
  [59_999, '59s'],
  [60_000, '1m 00s'],
  [3_661_000, '1h 01m 01s'],
])('%i ms are %s', (milliseconds, words) => {
  expect(elapsedWords(milliseconds)).toBe(words);
});

it.each([
  ['/home/ada/engine/src/a.ts', 'src/a.ts'],
  ['/home/ada/engine', '.'],
  ['/home/ada/engines/a.ts', '~/engines/a.ts'],
  ['/etc/hosts', '/etc/hosts'],
])('the path %s is shown as %s', (path, shown) => {
  expect(shownPath(path, look)).toBe(shown);
});
