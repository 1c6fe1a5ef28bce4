import type { TextGap, TextPlace } from '../../fragments/text/cut-text.ts';
import { mostOfShort } from './share-space.ts';

/** So many lines before and after a line are what it is compared with. */
const neighbours = 12;
/** In bits, by which a line must be rarer than its neighbours. */
const leastUnlike = 3;
/** A line of so many letters in plain words may be a sentence. */
const lettersOfSentence = 16;

/**
 * Lines of a long message that should stay when its middle is cut, the most telling first: those that an earlier cut kept
 * between two gaps, then short ones unlike those around them, as a sentence between two pastes is. Lines are compared by
 * their punctuation and by how rare their words are, so it works in any language, and finds little in prose.
 */
export function passagesToKeep(text: string, gaps: readonly TextGap[]): readonly TextPlace[] {
  const lines = linesOf(text, gaps);
  const shapes = countEach(lines.map(({ shape }) => shape));
  const words = countEach(lines.flatMap((line) => line.words));
  const rarity = (count: number | undefined): number => Math.log2(lines.length / (count ?? 1));
  const bits = lines.map(
    (line) => rarity(shapes.get(line.shape)) + line.prose * mean(line.words.map((word) => rarity(words.get(word)))),
  );
  const sums = [0];
  for (const each of bits) sums.push(sums.at(-1)! + each);
  // The lower side counts: a sentence may stand between pastes of two kinds.
  const around = (at: number): number => {
    const [from, to] = [Math.max(0, at - neighbours), Math.min(lines.length, at + neighbours + 1)];
    const before = (sums[at]! - sums[from]!) / Math.max(1, at - from);
    const after = (sums[to]! - sums[at + 1]!) / Math.max(1, to - at - 1);
    return Math.min(before, after);
  };
  return lines
    .map(({ start, end, isKept, ...line }, at) => {
      // The neighbours of a line that an earlier cut kept are gone. Sentences come before scraps of data.
      const unlike = (bits[at]! - (isKept ? 0 : around(at))) * (0.5 + 0.5 * sentenceLikeness(line));
      return { start, end, isKept, unlike };
    })
    .filter(({ start, end, isKept, unlike }) => end - start <= mostOfShort && (isKept || unlike >= leastUnlike))
    .toSorted((a, b) => Number(b.isKept) - Number(a.isKept) || b.unlike - a.unlike)
    .map(({ start, end }) => ({ start, end }));
}

interface Line extends TextPlace {
  /** It stands between two gaps. */
  readonly isKept: boolean;
  readonly shape: string;
  readonly words: readonly string[];
  /** The share of plain words in it. */
  readonly prose: number;
}

/** From 0, data, to 1, nothing but plain words. */
function sentenceLikeness({ words, prose }: Pick<Line, 'words' | 'prose'>): number {
  const letters = words.reduce((sum, { length }) => sum + length, 0);
  return prose * Math.min(1, letters / lettersOfSentence);
}

/** Lines that are neither blank nor touch a gap. */
function linesOf(text: string, gaps: readonly TextGap[]): readonly Line[] {
  const lines: Line[] = [];
  let gap = 0;
  for (const { index: start, 0: line } of text.matchAll(/[^\n]+/g)) {
    const end = start + line.length;
    if (line.trim() === '') continue;
    while (gap < gaps.length && gaps[gap]!.end <= start) gap += 1;
    if (gap < gaps.length && gaps[gap]!.start < end) continue;
    // A giant line is no passage itself, and a look at its beginning is enough to compare others with it.
    // With its line end, two that follow each other touch.
    const isKept = gap > 0 && gap < gaps.length;
    lines.push({ start, end: Math.min(text.length, end + 1), isKept, ...described(line.slice(0, mostOfShort)) });
  }
  return lines;
}

/** Letters alone, so that hashes and names with digits, of which each is rare, do not count. */
const plainWord = /^[\p{P}\p{S}]{0,2}([\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*)\p{P}{0,3}$/u;

function described(line: string): Pick<Line, 'shape' | 'words' | 'prose'> {
  // A run of words counts as one, so that sentences of any length are alike.
  const shape = line.replace(/\p{N}+/gu, '0').replace(/[\p{L}\p{M}]+(?:\s+[\p{L}\p{M}]+)*/gu, 'a');
  const tokens = line.split(/\s+/).filter((token) => token !== '');
  const words = tokens.flatMap((token) => plainWord.exec(token.toLowerCase())?.[1] ?? []);
  return { shape, words, prose: words.length / Math.max(1, tokens.length) };
}

function countEach(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
