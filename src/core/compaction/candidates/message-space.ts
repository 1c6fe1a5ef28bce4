import type { TextGap, TextPlace } from '../../fragments/text/cut-and-fence-text.ts';

/** A message of at most so many characters (UTF-16 units) is short. */
export const longestShortMessage = 2000;

/** A message that wants space in a checkpoint, in tokens. */
export interface SpaceWanted {
  /** All of it, with the marks around it. */
  readonly whole: number;
  /** 2,000 characters of a long message, with the marks around them. Absent: the message is short. */
  readonly shortened?: number;
  /** However little space there is, the message gets this. Absent: it may be left out. */
  readonly least?: number;
  /** The checkpoint names it as the request that defines the active task. */
  readonly isActive?: true;
  /** A hook or a program wrote it: these share a part of the space. */
  readonly isSetup?: true;
}

/** The active request keeps at most this part of the space. */
const activeShare = 0.5;
/** Hooks and programs share this part of the space. */
const setupShare = 0.25;
/** Less of a message than this is not worth its space. */
const leastWorthwhile = 112;

/**
 * Divides the space of a checkpoint among messages, which come in the order in which they go before each other. Gives
 * the tokens of each; 0: it is left out.
 *
 * Short messages are kept whole first. Long ones share what is left. So no short message is left out while a longer one
 * keeps more than 2,000 characters; only the active request may, and then it keeps at most half of the space.
 */
export function shareSpace(messages: readonly SpaceWanted[], space: number): readonly number[] {
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
    // A long one that may be left out waits until all short ones have theirs.
    if (shortened !== undefined && least === 0) continue;
    const speaker = isSetup ? 'setup' : 'user';
    const most = isActive ? Math.max(shortened ?? 0, half - active) : (shortened ?? whole);
    const wanted = Math.max(least, shortened === undefined ? whole : Math.min(whole, most));
    const isOver = least === 0 && lacks[speaker];
    const more = isOver ? 0 : Math.min(wanted - least, freeFor(message));
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
  // The share of hooks and programs limits how much each of them wants beside the user.
  const ofSetup = fill(worthwhile(lacks.setup ? [] : setups, left.setup), left.setup, wholes);
  const wants = (at: number): number => ofSetup.get(at) ?? wholes(at);
  const sharing = worthwhile(
    [...own, ...ofSetup.keys()].toSorted((a, b) => a - b),
    left.user,
  );
  for (const [at, tokens] of fill(sharing, left.user, wants)) given[at] = tokens;
  return given;

  /** Those that have something already, and of the others as many as get enough to be worth it. */
  function worthwhile(some: readonly number[], free: number): readonly number[] {
    let others = Math.floor(free / leastWorthwhile);
    return some.filter((at) => given[at]! > 0 || others-- > 0);
  }

  /** Raises what each has to one level, the highest that there is space for, but to no more than it wants. */
  function fill(some: readonly number[], free: number, wanted: (at: number) => number): ReadonlyMap<number, number> {
    const raised = (at: number, level: number): number => Math.max(given[at]!, Math.min(wanted(at), level));
    const costs = (level: number): number => some.reduce((sum, at) => sum + raised(at, level) - given[at]!, 0);
    let [low, high] = [0, some.reduce((most, at) => Math.max(most, wanted(at)), 0)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (costs(middle) <= free) low = middle;
      else high = middle - 1;
    }
    return new Map(some.map((at) => [at, raised(at, low)]));
  }
}

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
    .filter(({ start, end, isKept, unlike }) => end - start <= longestShortMessage && (isKept || unlike >= leastUnlike))
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
    lines.push({
      start,
      end: Math.min(text.length, end + 1),
      isKept,
      ...described(line.slice(0, longestShortMessage)),
    });
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
