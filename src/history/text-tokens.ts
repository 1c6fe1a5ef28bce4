import { kind, kinds, oddPairs } from './character-kinds.ts';
import { foreignParts } from './foreign-parts.ts';
import {
  after,
  blankParts,
  capitalParts,
  encodedParts,
  markParts,
  backslashParts,
  perToken,
  quoteParts,
  wordParts,
} from './token-parts.ts';

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
  let before: number = after.other;
  /** Letters and digits, with single marks between them: words, unless all of it turns out to be encoded bytes. */
  let chunkStart = start;
  let pieces = 0;
  let asWords = 0;
  let asEncoded = 0;
  let at = start;
  let code = start < end ? text.charCodeAt(start) : 0;
  let found = kinds[code]!;
  while (at < end) {
    const from = at;
    if (found <= kind.digit) {
      if (pieces === 0) chunkStart = from;
      pieces++;
      if (found === kind.digit) {
        while (++at < end && (found = kinds[(code = text.charCodeAt(at))]!) === kind.digit);
        // Unlike that of a word, the space before a number is a token.
        const ofDigits = (Math.ceil((at - from) / 3) + (before === after.space ? 1 : 0)) * perToken;
        asWords += ofDigits;
        asEncoded += ofDigits;
        before = after.digit;
      } else {
        while (found === kind.upper && ++at < end) found = kinds[(code = text.charCodeAt(at))]!;
        const upper = at - from;
        let odd = 0;
        for (
          let last = 0;
          found === kind.lower && at < end;
          found = ++at < end ? kinds[(code = text.charCodeAt(at))]! : found
        ) {
          odd += oddPairs[last * 32 + code]!;
          last = code;
        }
        const length = at - from;
        const ofEncoded = encodedParts(length);
        asEncoded += ofEncoded + (before === after.mark ? markInEncoded : 0);
        if (before === after.digit || (upper > 1 && upper < length)) asWords += ofEncoded;
        else asWords += upper > 1 ? capitalParts(before, length) : wordParts(before, length, odd);
        before = after.letter;
      }
      if (at < end && found <= kind.digit) continue;
      if (at + 1 < end && found === kind.joint && kinds[text.charCodeAt(at + 1)]! <= kind.digit) {
        found = kinds[(code = text.charCodeAt(++at))]!;
        before = found === kind.digit ? after.marks : after.mark;
        asWords += found === kind.digit ? perToken : 0;
        asEncoded += found === kind.digit ? perToken : 0;
        continue;
      }
      const length = at - chunkStart;
      parts += length >= shortestEncoded && pieces * longestPiece >= length ? asEncoded : asWords;
      pieces = 0;
      asWords = 0;
      asEncoded = 0;
    } else if (found === kind.blank) {
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
      } while (++at < end && (found = kinds[(code = text.charCodeAt(at))]!) === kind.blank);
      if (breaks + tabs > 0 || spaces > 1) parts += blankParts(before, breaks, tabs, spaces);
      before = last === space ? after.space : last === tab ? after.mark : after.other;
    } else if (found === kind.foreign) {
      parts += foreignParts(code);
      before = after.foreign;
      if (++at < end) found = kinds[(code = text.charCodeAt(at))]!;
    } else {
      let changes = -1;
      let last = -1;
      do {
        if (code === quote) parts += quoteParts;
        else if (code === backslash) parts += backslashParts;
        if (code !== last) changes++;
        last = code;
        found = ++at < end ? kinds[(code = text.charCodeAt(at))]! : kind.foreign;
      } while (found === kind.mark || found === kind.joint);
      const joins = at - from === 1 && before !== after.space && found <= kind.upper;
      if (!joins) parts += markParts(at - from, changes);
      before = joins ? after.mark : after.marks;
    }
  }
  return parts;
}
