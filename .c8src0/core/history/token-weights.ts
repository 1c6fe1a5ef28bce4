/** Weights in hundredths of a token; `textTokens` documents their source. */
export const perToken = 100;
export const pieceBefore = { other: 0, space: 1, mark: 2, letter: 3, digit: 4, foreign: 5, marks: 6 } as const;
const longest = 12;

/** Word weights by length. Rows: after anything, a space, one mark (counted too), lower-case letters of its name. */
const words = Uint16Array.from(
  [
    [0, 100, 100, 108, 107, 110, 120, 125, 135, 150, 175, 190, 210],
    [0, 100, 100, 102, 102, 102, 103, 105, 110, 115, 125, 140, 150],
    [0, 102, 115, 125, 125, 140, 150, 170, 200, 200, 210, 230, 250],
    [0, 100, 100, 102, 100, 100, 102, 108, 108, 110, 110, 115, 130],
  ].flat(),
);
const furtherLetter = 35;
/** Weight of the first rare pair of letters, after a space or after anything else, and of each further pair. */
const oddAfterSpace = 40;
const oddElsewhere = 55;
const furtherOdd = 65;
/** No word has that many rare pairs in so few letters. */
const mostOfOdd = 60;

export function wordWeight(before: number, length: number, odd: number): number {
  const row = before <= pieceBefore.letter ? before * (longest + 1) : 0;
  const parts = length <= longest ? words[row + length]! : words[row + longest]! + (length - longest) * furtherLetter;
  if (odd === 0) return parts;
  const ofOdd = (before === pieceBefore.space ? oddAfterSpace : oddElsewhere) + (odd - 1) * furtherOdd;
  return Math.min(parts + ofOdd, Math.max(parts, length * mostOfOdd));
}

const capitals = Uint16Array.from([0, 100, 102, 120, 140, 180, 190, 205, 240, 275, 310, 345, 380]);
const capitalsAfterMark = Uint16Array.from([0, 105, 140, 150, 145, 185, 190, 210, 240, 275, 310, 345, 380]);

export function capitalWeight(before: number, length: number): number {
  const figures = before === pieceBefore.mark ? capitalsAfterMark : capitals;
  return length <= longest ? figures[length]! : figures[longest]! + (length - longest) * furtherLetter;
}

const encoded = Uint16Array.from([0, 100, 120, 195, 245, 300, 350, 410, 470, 520, 570, 630, 690]);
const furtherEncoded = 56;

/** Letters that form no word, as in base64 and between digits. */
export function encodedWeight(length: number): number {
  return length <= longest ? encoded[length]! : encoded[longest]! + (length - longest) * furtherEncoded;
}

/** Runs of marks, by how often the mark changes. */
const marks = Uint16Array.from([100, 106, 140, 180, 240, 340]);
const furtherChange = 100;
/** Longer runs of marks are a ruling line or a picture. */
const shortestRule = 5;
const markOfRule = 5;

export function markWeight(length: number, changes: number): number {
  const last = marks.length - 1;
  const ofRule = length < shortestRule ? 0 : length * markOfRule;
  return ofRule + (changes <= last ? marks[changes]! : marks[last]! + (changes - last) * furtherChange);
}

/** Cost of JSON escapes. Line breaks and tabs are included in the figures for blanks. */
export const quoteWeight = 10;
export const backslashWeight = 85;
const breakAfterMarks = 120;
const breakElsewhere = 140;
const furtherBreak = 95;
const tab = 95;
const indentation = 100;
const widestIndentation = 40;

/** `spaces`: the spaces after the last break. The last of them counts with the following word. */
export function blankWeight(before: number, breaks: number, tabs: number, spaces: number): number {
  const first = before >= pieceBefore.foreign ? breakAfterMarks : breakElsewhere;
  const ofBreaks = breaks === 0 ? 0 : first + (breaks - 1) * furtherBreak;
  const ofSpaces = spaces > 1 ? indentation * Math.ceil(spaces / widestIndentation) : 0;
  return ofBreaks + ofSpaces + tabs * tab;
}
