import stringWidth from 'string-width';
import { expect, inject, test } from 'vitest';
import { countColumns } from './text-columns.ts';

/** Characters that are counted in another way than by string-width, each with the reason. */
const explained: readonly (readonly [why: string, ours: number, theirs: number, which: RegExp])[] = [
  ['control characters: Capstan prints signs in their place', 1, 0, /[\0-\u001F\u007F-\u009F]/],
  ['a soft hyphen: terminals show it', 1, 0, /\u00AD/],
  ['marks, some of which terminals give a column', 1, 0, /[\u065F\u1033-\u1035\u103A\u103D\u103E]/],
  [
    'signs of direction and layout: terminals differ, and a row counted too short becomes two',
    1,
    0,
    /[\u061C\u070F\u180E\u2064\u2066-\u2069\u{1BCA0}-\u{1BCA3}\u{13430}-\u{1343F}]/u,
  ],
  ['fillers of Korean letters: terminals give them the columns of a letter', 2, 0, /[\u115F\u3164]/],
  ['the same for half of a letter', 1, 0, /[\u1160\uFFA0]/],
  [
    'not assigned: reserved for invisible characters, which terminals do not know',
    1,
    0,
    /[\u2065\uFFF0-\uFFF8\u{E0000}-\u{E0FFF}]/u,
  ],
  [
    'not assigned, among wide characters: what is counted too wide breaks no row',
    2,
    1,
    /[\u2E9A-\u2FEF\u3097-\u321F\uA48D-\uA4CF\uFE53-\uFE6F\u{16FE5}-\u{18DFF}\u{1AFF4}-\u{1B2FF}\u{1D357}-\u{1D35F}\u{1F203}-\u{1F25F}\u{1FA7D}-\u{1FAFF}\u{2FFFE}\u{2FFFF}]/u,
  ],
  ['numbers in circles: of ambiguous width, and wide in the tables of terminals', 2, 1, /[\u3248-\u324F]/],
  [
    'not assigned in the Unicode of this Node, which is older',
    1,
    2,
    /[\u{18E00}-\u{191D2}\u{1F1AE}\u{1F6D9}\u{1F7DA}]/u,
  ],
];
const unassigned = /^\p{Cn}$/u;

// All of them take string-width a while: few beyond the first planes of scripts are enough for every day.
const isWhole = inject('runFactor') > 1;

test('every character takes the columns that string-width gives it, or there is a reason', () => {
  const unexplained: string[] = [];
  const used = new Set<string>();
  for (let code = 0; code <= 0x10ffff; code++) {
    if (!isWhole && code > 0x3000 && code % 64 > 0) continue;
    const character = String.fromCodePoint(code);
    const [ours, theirs] = [countColumns(character), stringWidth(character)];
    if (ours === theirs) continue;
    const reason = explained.find(
      ([why, one, other, which]) =>
        one === ours &&
        other === theirs &&
        which.test(character) &&
        (!why.startsWith('not assigned') || unassigned.test(character)),
    );
    if (reason === undefined) unexplained.push(`U+${code.toString(16)}: ${ours}, not ${theirs}`);
    else used.add(reason[0]);
  }
  expect(unexplained).toEqual([]);
  const unused = explained.filter(([why]) => isWhole && !used.has(why));
  expect(unused).toEqual([]);
});

const everyCharacter = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
const emoji = everyCharacter.filter((each) => /^\p{Emoji}$/u.test(each));
const pictures = emoji.filter((each) => /^\p{Extended_Pictographic}$/u.test(each));
const flags = everyCharacter.filter((each) => /^\p{RI}$/u.test(each));
const wideAlone = /^\p{Emoji_Presentation}/u;

const sequences: Readonly<Record<string, readonly string[]>> = {
  'as a picture': pictures.map((each) => `${each}\uFE0F`),
  'as text': emoji.filter((each) => !wideAlone.test(each)).map((each) => `${each}\uFE0E`),
  'with a colour': emoji
    .filter((each) => /^\p{Emoji_Modifier_Base}$/u.test(each))
    .flatMap((each) => [`${each}🏻`, `${each}🏿`]),
  'put together of two': pictures
    .filter((each) => !/^\p{Emoji_Modifier}$/u.test(each))
    .flatMap((each) => [`👩\u200D${each}`, `${each}\u200D❤️`]),
  'two in a row': emoji.map((each) => each + each),
  'with a mark': emoji.map((each) => `${each}\u0301`),
  flags: flags.flatMap((one) => flags.map((other) => one + other)),
  'flags of regions': ['gbeng', 'gbsct', 'gbwls'].map(
    (region) => `🏴${region.replaceAll(/./g, (letter) => tag(letter.charCodeAt(0)))}${tag(0x7f)}`,
  ),
  'key caps': Array.from('0123456789#*', (each) => `${each}\uFE0F\u20E3`),
  'put together of several': ['👩‍👩‍👧‍👦', '👨🏽‍🌾', '🏳️‍🌈', '🏴‍☠️', '❤️‍🔥', '👁️‍🗨️', '🧑🏿‍🤝‍🧑🏻', '🐻‍❄️', '👩🏽‍❤️‍💋‍👨🏿', '🇩', '🇩🇪🇫', '👍🏽🏽'],
  'with other characters': [
    '\u20E3',
    'a\u20E3',
    'a\u200Db',
    'a\uFEFFb',
    '\u202Eabc\u202C',
    'e\u0301\u0302',
    'か\u309A',
    'ﾊﾞ',
    '\u1112\u1161\u11AB',
  ],
  'of scripts': ['한국', '漢字', 'שָׁלוֹם', 'مَرْحَبًا', '\u0644\u0627', 'กำ', 'ນ້ຳ', 'क्षि', 'நி', 'ສະບາຍດີ'],
};

function tag(code: number): string {
  return String.fromCodePoint(0xe0000 + code);
}

test.each(Object.entries(sequences))('sequences take the columns that string-width gives them: %s', (_, all) => {
  expect(all.length).toBeGreaterThan(2);
  expect(all.filter((each) => countColumns(each) !== stringWidth(each))).toEqual([]);
});

test.each<readonly [why: string, ours: number, theirs: number, all: readonly string[]]>([
  [
    'terminals do not make a picture a text',
    2,
    1,
    emoji.filter((each) => wideAlone.test(each) && !/^\p{RI}$/u.test(each)).map((each) => `${each}\uFE0E`),
  ],
  ['a digit without a cap stays a digit', 1, 2, Array.from('0123456789#*', (each) => `${each}\uFE0F`)],
  ['a cap may be drawn without a selector', 2, 1, Array.from('0123456789#*', (each) => `${each}\u20E3`)],
  ['a colour that is joined is no sequence of Unicode, and terminals show both', 4, 2, ['👩\u200D🏻', '👩\u200D🏿']],
  ['terminals join no two initial letters of Korean', 4, 2, ['\u1100\u1100\u1161']],
])('sequences of which string-width thinks otherwise: %s', (_, ours, theirs, all) => {
  expect(new Set(all.map(countColumns))).toEqual(new Set([ours]));
  expect(all.map((each) => stringWidth(each))).toContain(theirs);
});
