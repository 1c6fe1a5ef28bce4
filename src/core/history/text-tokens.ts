import { nonAsciiParts } from './non-ascii-token-weights.ts';
import {
  backslashParts,
  blankParts,
  capitalParts,
  encodedParts,
  markParts,
  perToken,
  pieceBefore,
  quoteParts,
  wordParts,
} from './token-weights.ts';

/**
 * What a text weighs in a request, in tokens, as it stands in JSON: by words, groups of three digits, marks, line
 * breaks and changes of case. The figures are means over prose, code, logs, data and encoded bytes; where kinds of text
 * differ, the dearer one was taken, because too low an estimate is worse than too high a one.
 */
export function textTokens(text: string): number {
  const { length } = text;
  if (length <= wholeLength) return partsBetween(text, 0, length) / perToken;
  // Windows of a long text, evenly spread. The words that their borders cut make them weigh a little more.
  const windows = Math.ceil((wholeLength + (length - wholeLength) / oneIn) / windowLength);
  const stride = (length - windowLength) / (windows - 1);
  let parts = 0;
  for (let index = 0; index < windows; index++) {
    const start = Math.floor(index * stride);
    parts += partsBetween(text, start, start + windowLength);
  }
  return (parts / perToken) * (length / (windows * windowLength));
}

/** Texts up to this length are looked at from end to end, and one part in so many of what is longer. */
const wholeLength = 4096;
const oneIn = 8;
const windowLength = 64;

/** From this length on, letters and digits without a gap may be encoded bytes, if their pieces are short. */
const shortestEncoded = 16;
const longestPiece = 4;
/** What a mark inside encoded bytes adds to the letters after it. */
const markInEncoded = 60;

const quote = 0x22;
const backslash = 0x5c;
const tab = 0x09;
const space = 0x20;

/** One loop that reads each character once: everything that enters a history passes it. */
function partsBetween(text: string, start: number, end: number): number {
  let parts = 0;
  /** What stands before the place: it decides what comes cheaper. */
  let before: number = pieceBefore.other;
  /** Letters and digits, with single marks between them: words, unless all of it turns out to be encoded bytes. */
  let chunkStart = start;
  let pieces = 0;
  let asWords = 0;
  let asEncoded = 0;
  let at = start;
  let code = start < end ? text.charCodeAt(start) : 0;
  let found = characterKinds[code]!;
  while (at < end) {
    const from = at;
    if (found <= characterKind.digit) {
      if (pieces === 0) chunkStart = from;
      pieces++;
      if (found === characterKind.digit) {
        while (++at < end && (found = characterKinds[(code = text.charCodeAt(at))]!) === characterKind.digit);
        // Unlike that of a word, the space before a number is a token.
        const ofDigits = (Math.ceil((at - from) / 3) + (before === pieceBefore.space ? 1 : 0)) * perToken;
        asWords += ofDigits;
        asEncoded += ofDigits;
        before = pieceBefore.digit;
      } else {
        while (found === characterKind.upper && ++at < end) found = characterKinds[(code = text.charCodeAt(at))]!;
        const upper = at - from;
        let odd = 0;
        for (
          let last = 0;
          found === characterKind.lower && at < end;
          found = ++at < end ? characterKinds[(code = text.charCodeAt(at))]! : found
        ) {
          odd += rareLetterPairs[last * 32 + code]!;
          last = code;
        }
        const length = at - from;
        const ofEncoded = encodedParts(length);
        asEncoded += ofEncoded + (before === pieceBefore.mark ? markInEncoded : 0);
        if (before === pieceBefore.digit || (upper > 1 && upper < length)) asWords += ofEncoded;
        else asWords += upper > 1 ? capitalParts(before, length) : wordParts(before, length, odd);
        before = pieceBefore.letter;
      }
      if (at < end && found <= characterKind.digit) continue;
      if (
        at + 1 < end &&
        found === characterKind.joint &&
        characterKinds[text.charCodeAt(at + 1)]! <= characterKind.digit
      ) {
        found = characterKinds[(code = text.charCodeAt(++at))]!;
        before = found === characterKind.digit ? pieceBefore.marks : pieceBefore.mark;
        asWords += found === characterKind.digit ? perToken : 0;
        asEncoded += found === characterKind.digit ? perToken : 0;
        continue;
      }
      const length = at - chunkStart;
      parts += length >= shortestEncoded && pieces * longestPiece >= length ? asEncoded : asWords;
      pieces = 0;
      asWords = 0;
      asEncoded = 0;
    } else if (found === characterKind.blank) {
      let breaks = 0;
      let tabs = 0;
      let spaces = 0;
      let last = 0;
      do {
        if (code === space) spaces++;
        else if (code === tab) tabs++;
        else {
          breaks++;
          spaces = 0;
        }
        last = code;
      } while (++at < end && (found = characterKinds[(code = text.charCodeAt(at))]!) === characterKind.blank);
      if (breaks + tabs > 0 || spaces > 1) parts += blankParts(before, breaks, tabs, spaces);
      before = last === space ? pieceBefore.space : last === tab ? pieceBefore.mark : pieceBefore.other;
    } else if (found === characterKind.foreign) {
      parts += nonAsciiParts(code);
      before = pieceBefore.foreign;
      if (++at < end) found = characterKinds[(code = text.charCodeAt(at))]!;
    } else {
      let changes = -1;
      let last = -1;
      do {
        if (code === quote) parts += quoteParts;
        else if (code === backslash) parts += backslashParts;
        if (code !== last) changes++;
        last = code;
        found = ++at < end ? characterKinds[(code = text.charCodeAt(at))]! : characterKind.foreign;
      } while (found === characterKind.mark || found === characterKind.joint);
      const joins = at - from === 1 && before !== pieceBefore.space && found <= characterKind.upper;
      if (!joins) parts += markParts(at - from, changes);
      before = joins ? pieceBefore.mark : pieceBefore.marks;
    }
  }
  return parts;
}

/** Kinds of ASCII characters, as far as tokenisers distinguish them. What a word or a number is made of comes first. */
const characterKind = { lower: 0, upper: 1, digit: 2, joint: 3, mark: 4, blank: 5, foreign: 6 } as const;

/** Marks that stand inside names, paths and base64. */
const joints = '+/-_=';
const blanks = ' \t\n\r';

/** By code: a table without a bound to look at is the quickest, also before the code is compiled. */
const characterKinds = new Uint8Array(0x10000).fill(characterKind.foreign).fill(characterKind.mark, 0, 128);
// Filled and not computed: this runs at every start.
characterKinds.fill(characterKind.lower, 97, 123).fill(characterKind.upper, 65, 91).fill(characterKind.digit, 48, 58);
for (let i = 0; i < joints.length; i++) characterKinds[joints.charCodeAt(i)] = characterKind.joint;
for (let i = 0; i < blanks.length; i++) characterKinds[blanks.charCodeAt(i)] = characterKind.blank;

/** Each letter with those that usually follow it in English words and in names. */
const usualPairs =
  'abcdgiklmnprstuvwxy baeijloruy caehiklortu dadeiosu eabcdefgilmnpqrstvwxy faefiortu gehinrsu haeiort ' +
  'iabcdefglmnoprstvz jes keis ladefilostuy mabeimopsu nacdefgiklnopstuvy obcdfgiklmnoprstuvw paeiloprstu qu ' +
  'racdegiklmnorstuy sacehikoprstuy tacehioprstuy uabcegilmnprst vaei waehinor xcpt ynopst zei';

/** 1 for two lower letters that seldom stand together, at 32 times the code of the first plus that of the second. */
const rareLetterPairs = new Uint8Array(128 * 32);
rareLetterPairs.fill(1, 97 * 32);
for (const letters of usualPairs.split(' ')) {
  const first = letters.charCodeAt(0) * 32;
  for (let i = 1; i < letters.length; i++) rareLetterPairs[first + letters.charCodeAt(i)] = 0;
}
