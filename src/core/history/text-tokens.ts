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
 * Estimated tokens of a text inside JSON. The figures are means over prose, code, logs, data and encoded bytes; where
 * these differ, the higher was taken, because underestimating is worse.
 */
export function textTokens(text: string): number {
  const { length } = text;
  if (length <= wholeLength) return partsBetween(text, 0, length) / perToken;
  // Evenly spread samples of a long text. Words cut at their borders make them weigh slightly more.
  const windows = Math.ceil((wholeLength + (length - wholeLength) / oneIn) / windowLength);
  const stride = (length - windowLength) / (windows - 1);
  let parts = 0;
  for (let index = 0; index < windows; index++) {
    const start = Math.floor(index * stride);
    parts += partsBetween(text, start, start + windowLength);
  }
  return (parts / perToken) * (length / (windows * windowLength));
}

/** Texts up to this length are read in full; of longer ones, one part in `oneIn`. */
const wholeLength = 4096;
const oneIn = 8;
const windowLength = 64;
/** From this length on, unbroken letters and digits may be encoded bytes, if their pieces are short. */
const shortestEncoded = 16;
const longestPiece = 4;
/** Extra weight that a mark inside encoded bytes gives the letters after it. */
const markInEncoded = 60;
const quote = 0x22;
const backslash = 0x5c;
const tab = 0x09;
const space = 0x20;

/** Reads each character once, because everything that enters a history passes through here. */
function partsBetween(text: string, start: number, end: number): number {
  let parts = 0;
  let before: number = pieceBefore.other;
  /** Letters and digits with single marks between them: words, unless all of it turns out to be encoded bytes. */
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
        // The space before a number is a token, unlike the space before a word.
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

/** Kinds of ASCII characters that tokenisers distinguish. Kinds that form words and numbers come first. */
const characterKind = { lower: 0, upper: 1, digit: 2, joint: 3, mark: 4, blank: 5, foreign: 6 } as const;
const joints = '+/-_=';
const blanks = ' \t\n\r';
/** By character code: a table without bounds checks is fastest, even before compilation. */
const characterKinds = new Uint8Array(0x10000).fill(characterKind.foreign).fill(characterKind.mark, 0, 128);
// Filled instead of computed, because this runs at every start.
characterKinds.fill(characterKind.lower, 97, 123).fill(characterKind.upper, 65, 91).fill(characterKind.digit, 48, 58);
for (let i = 0; i < joints.length; i++) characterKinds[joints.charCodeAt(i)] = characterKind.joint;
for (let i = 0; i < blanks.length; i++) characterKinds[blanks.charCodeAt(i)] = characterKind.blank;

/** Each letter with those that usually follow it in English words and names. */
const usualPairs =
  'abcdgiklmnprstuvwxy baeijloruy caehiklortu dadeiosu eabcdefgilmnpqrstvwxy faefiortu gehinrsu haeiort ' +
  'iabcdefglmnoprstvz jes keis ladefilostuy mabeimopsu nacdefgiklnopstuvy obcdfgiklmnoprstuvw paeiloprstu qu ' +
  'racdegiklmnorstuy sacehikoprstuy tacehioprstuy uabcegilmnprst vaei waehinor xcpt ynopst zei';

/** 1 for a rare pair of lower-case letters, at 32 times the code of the first plus that of the second. */
const rareLetterPairs = new Uint8Array(128 * 32);
rareLetterPairs.fill(1, 97 * 32);
for (const letters of usualPairs.split(' ')) {
  const first = letters.charCodeAt(0) * 32;
  for (let i = 1; i < letters.length; i++) rareLetterPairs[first + letters.charCodeAt(i)] = 0;
}
