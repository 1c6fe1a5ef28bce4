import { largestThatFits } from '../../../base/largest-that-fits.ts';
import type { TextGap, TextRange } from '../../fragments/text/cut-and-fence-text.ts';

/** Limit of a short message, in characters (UTF-16 units). */
export const longestShortMessage = 2000;

export interface SpaceWanted {
  readonly whole: number;
  /** Tokens of about 2,000 characters of a long message, with the marks of the cut. Absent: the message is short. */
  readonly shortened?: number;
  /** Guaranteed minimum. Absent: the message may be left out. */
  readonly least?: number;
  /** The checkpoint names it as the request that defines the active task. */
  readonly isActive?: true;
  /** Written by a hook or a program: these share a part of the space. */
  readonly isSetup?: true;
}

const activeShare = 0.5;
const setupShare = 0.25;
const leastWorthwhile = 112;

/**
 * Divides the space of a checkpoint among messages in order of precedence. Returns the tokens of each; 0: left out.
 * Short messages are kept whole first, and long ones share the rest: no long message keeps more than 2,000 characters
 * while a short one is left out, except the active request, which may have half of the space.
 */
export function divideMessageSpace(messages: readonly SpaceWanted[], space: number): readonly number[] {
  const given = messages.map(({ least = 0 }) => least);
  const left = { user: space, setup: Math.floor(space * setupShare) };
  const take = ({ isSetup }: SpaceWanted, tokens: number): void => {
    left.user -= tokens;
    if (isSetup) left.setup -= tokens;
  };
  const freeFor = ({ isSetup }: SpaceWanted): number =>
    Math.max(0, isSetup ? Math.min(left.user, left.setup) : left.user);
  for (const [at, message] of messages.entries()) take(message, given[at]!);

  const half = Math.floor(space * activeShare);
  const lacks = { user: false, setup: false };
  let active = 0;
  for (const [at, message] of messages.entries()) {
    const { whole, shortened, least = 0, isActive, isSetup } = message;
    // Optional long messages wait until all short ones have their space.
    if (shortened !== undefined && least === 0) continue;
    const speaker = isSetup ? 'setup' : 'user';
    const most = isActive ? Math.max(shortened ?? 0, half - active) : (shortened ?? whole);
    const wanted = Math.max(least, shortened === undefined ? whole : Math.min(whole, most));
    const more = least === 0 && lacks[speaker] ? 0 : Math.min(wanted - least, freeFor(message));
    if (shortened === undefined && more < wanted - least) lacks[speaker] = true;
    if (least === 0 && more < wanted && more < leastWorthwhile) continue;
    given[at] = least + more;
    take(message, more);
    if (isActive) active += given[at];
  }
  if (lacks.user) return given;

  const long = [...messages.keys()].filter((at) => messages[at]!.shortened !== undefined);
  const [setups, own] = [long.filter((at) => messages[at]!.isSetup), long.filter((at) => !messages[at]!.isSetup)];
  const wholes = (at: number): number => messages[at]!.whole;
  // Hooks and programs want at most their own share when they compete with the user's messages.
  const ofSetup = fill(worthwhile(lacks.setup ? [] : setups, left.setup), left.setup, wholes);
  const wants = (at: number): number => ofSetup.get(at) ?? wholes(at);
  const inOrder = [...own, ...ofSetup.keys()].toSorted((a, b) => a - b);
  for (const [at, tokens] of fill(worthwhile(inOrder, left.user), left.user, wants)) given[at] = tokens;
  return given;

  /** Those that already have space, and as many others as can get a useful amount. */
  function worthwhile(some: readonly number[], free: number): readonly number[] {
    let others = Math.floor(free / leastWorthwhile);
    return some.filter((at) => given[at]! > 0 || others-- > 0);
  }

  /** Raises all to the highest level that there is space for, but none above what it wants. */
  function fill(some: readonly number[], free: number, wanted: (at: number) => number): ReadonlyMap<number, number> {
    const raised = (at: number, level: number): number => Math.max(given[at]!, Math.min(wanted(at), level));
    const costs = (level: number): number => some.reduce((sum, at) => sum + raised(at, level) - given[at]!, 0);
    const highest = some.reduce((most, at) => Math.max(most, wanted(at)), 0);
    const level = largestThatFits(0, highest, (each) => costs(each) <= free);
    return new Map(some.map((at) => [at, raised(at, level)]));
  }
}

const neighbours = 12;
const leastUnlike = 3;
const lettersOfSentence = 16;

/** Lines to keep when a message is cut, best first: those an earlier cut kept, then those unlike their neighbours. */
export function passagesToKeep(text: string, gaps: readonly TextGap[]): readonly TextRange[] {
  const lines = linesOf(text, gaps);
  const shapes = countEach(lines.map(({ shape }) => shape));
  const words = countEach(lines.flatMap((line) => line.words));
  const rarity = (count: number | undefined): number => Math.log2(lines.length / (count ?? 1));
  const bits = lines.map(
    (line) => rarity(shapes.get(line.shape)) + line.prose * mean(line.words.map((word) => rarity(words.get(word)))),
  );
  const sums = [0];
  for (const each of bits) sums.push(sums.at(-1)! + each);
  // The side with the lower value counts: a sentence may be between pastes of two kinds.
  const around = (at: number): number => {
    const [from, to] = [Math.max(0, at - neighbours), Math.min(lines.length, at + neighbours + 1)];
    const before = (sums[at]! - sums[from]!) / Math.max(1, at - from);
    return Math.min(before, (sums[to]! - sums[at + 1]!) / Math.max(1, to - at - 1));
  };
  return lines
    .map(({ start, end, isKept, ...line }, at) => {
      // Lines kept by an earlier cut have no neighbours any more. Prefers sentences to scraps of data.
      const unlike = (bits[at]! - (isKept ? 0 : around(at))) * (0.5 + 0.5 * sentenceLikeness(line));
      return { start, end, isKept, unlike };
    })
    .filter(({ start, end, isKept, unlike }) => end - start <= longestShortMessage && (isKept || unlike >= leastUnlike))
    .toSorted((a, b) => Number(b.isKept) - Number(a.isKept) || b.unlike - a.unlike)
    .map(({ start, end }) => ({ start, end }));
}

interface Line extends TextRange {
  /** True between two gaps. */
  readonly isKept: boolean;
  readonly shape: string;
  readonly words: readonly string[];
  readonly prose: number;
}

/** From 0 (data) to 1 (only plain words). */
const sentenceLikeness = ({ words, prose }: Pick<Line, 'words' | 'prose'>): number =>
  prose * Math.min(1, words.reduce((sum, { length }) => sum + length, 0) / lettersOfSentence);

function linesOf(text: string, gaps: readonly TextGap[]): readonly Line[] {
  const lines: Line[] = [];
  let gap = 0;
  for (const { index: start, 0: line } of text.matchAll(/[^\n]+/g)) {
    const end = start + line.length;
    if (line.trim() === '') continue;
    while (gap < gaps.length && gaps[gap]!.end <= start) gap += 1;
    if (gap < gaps.length && gaps[gap]!.start < end) continue;
    // A giant line is no passage: its beginning is enough for comparisons. With line ends, adjacent lines touch.
    const isKept = gap > 0 && gap < gaps.length;
    const about = described(line.slice(0, longestShortMessage));
    lines.push({ start, end: Math.min(text.length, end + 1), isKept, ...about });
  }
  return lines;
}

/** Letters only: hashes and names with digits are each rare and must not count. */
const plainWord = /^[\p{P}\p{S}]{0,2}([\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*)\p{P}{0,3}$/u;

function described(line: string): Pick<Line, 'shape' | 'words' | 'prose'> {
  // A run of words counts as one, so that sentences of any length are alike.
  const shape = line.replace(/\p{N}+/gu, '0').replace(/[\p{L}\p{M}]+(?:\s+[\p{L}\p{M}]+)*/gu, 'a');
  const tokens = line.split(/\s+/).filter((token) => token !== '');
  const words = tokens.flatMap((token) => plainWord.exec(token.toLowerCase())?.[1] ?? []);
  return { shape, words, prose: words.length / Math.max(1, tokens.length) };
}

export function countEach(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
