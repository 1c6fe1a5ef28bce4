import type { TextGap, TextPlace } from '../../fragments/text/cut-text.ts';
import { mostOfShort } from './share-space.ts';

/** So many lines before and after a line are what it is compared with. */
const neighbours = 12;
/** In bits, by which a line must be rarer than its neighbours. */
const leastUnlike = 3;

/**
 * Passages of a long message that should stay when its middle is cut, the most telling first: those that an earlier cut
 * kept between two gaps, then short lines unlike those around them, as a sentence between two pastes is. Lines are
 * compared by their punctuation and by how rare their words are, so it works in any language and finds nothing in prose.
 */
export function passagesToKeep(text: string, gaps: readonly TextGap[]): readonly TextPlace[] {
  const islands = gaps.slice(1).map((gap, at) => ({ start: gaps[at]!.end, end: gap.start }));
  return [...islands.filter(({ start, end }) => start < end), ...unlikeLines(text, gaps)];
}

interface Line extends TextPlace {
  readonly shape: string;
  readonly words: readonly string[];
}

function unlikeLines(text: string, gaps: readonly TextGap[]): readonly TextPlace[] {
  const lines = linesOf(text, gaps);
  const shapes = countEach(lines.map(({ shape }) => shape));
  const words = countEach(lines.flatMap((line) => line.words));
  const rarity = (count: number | undefined): number => Math.log2(lines.length / (count ?? 1));
  const bits = lines.map(
    (line) => rarity(shapes.get(line.shape)) + mean(line.words.map((word) => rarity(words.get(word)))),
  );
  const sums = [0];
  for (const each of bits) sums.push(sums.at(-1)! + each);
  const found = lines.flatMap((line, at) => {
    const [from, to] = [Math.max(0, at - neighbours), Math.min(lines.length, at + neighbours + 1)];
    const around = (sums[to]! - sums[from]! - bits[at]!) / Math.max(1, to - from - 1);
    const unlike = bits[at]! - around;
    return unlike < leastUnlike || line.end - line.start > mostOfShort
      ? []
      : [{ start: line.start, end: line.end, unlike }];
  });
  return found.toSorted((a, b) => b.unlike - a.unlike).map(({ start, end }) => ({ start, end }));
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
    lines.push({ start, end: Math.min(text.length, end + 1), ...described(line.slice(0, mostOfShort)) });
  }
  return lines;
}

function described(line: string): Pick<Line, 'shape' | 'words'> {
  // A run of words counts as one, so that sentences of any length are alike.
  const shape = line.replace(/\p{N}+/gu, '0').replace(/[\p{L}\p{M}]+(?:\s+[\p{L}\p{M}]+)*/gu, 'a');
  const words = line.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{M}]+/gu) ?? [];
  return { shape, words };
}

function countEach(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
