import { controlRegexClass } from '../../../base/invisible-characters.ts';
import { bytesPerToken, sentBytes } from './truncate.ts';

/** A range of a text; `end` is exclusive. */
export type TextRange = { readonly start: number; readonly end: number };

export interface TextGap extends TextRange {
  /** Size of the missing text as sent inside JSON. */
  readonly bytes: number;
}

type GappedText = { readonly text: string; readonly gaps: readonly TextGap[] };

export interface CutText extends GappedText {
  /** The most important part. It is kept in addition to head and tail, as far as space allows. */
  readonly keep?: TextRange;
}

export const cutText = (text: string, tokens: number): string =>
  sentBytes(text) <= tokens * bytesPerToken ? text : cutAround(text, tokens, { gaps: gapsIn(text) }).text;

/** Weight of the text before anything was cut out of it. */
export const uncutBytes = (text: string, gaps: readonly TextGap[]): number =>
  uncut({ text, gaps }, { start: 0, end: text.length });
const mark = (bytes: number, perToken: number): string =>
  `\n[… about ${Math.max(1, Math.ceil(bytes / perToken))} tokens cut here …]\n`;

interface CutOptions extends Partial<Omit<CutText, 'text'>> {
  readonly perToken?: number;
  /** Parts to keep whole in addition to head and tail, while they are few and small. Earlier ones take precedence. */
  readonly passages?: readonly TextRange[];
}

const keepShare = 0.75;
/** Share of the space for passages and the marks after them. */
const passagesShare = 0.25;
/** More would be a list of scraps. */
const mostPassages = 12;

/**
 * Cuts a text down to this many tokens as sent. At each cut a mark says how much is missing; if the cut removes an
 * older mark, the new one includes its amount. Marks stay, however small the space is.
 */
export function cutAround(
  text: string,
  tokens: number,
  { gaps = [], keep, perToken = bytesPerToken, passages = [] }: CutOptions,
): CutText {
  const most = tokens * bytesPerToken;
  if (sentBytes(text) <= most) return { text, gaps, keep };
  const source = { text, gaps };
  const widest = sentBytes(mark(uncutBytes(text, gaps), perToken));
  const part = keep === undefined ? undefined : fittingPart(text, keep, Math.floor((most - 2 * widest) * keepShare));
  const taken = passages.length === 0 ? [] : takePassages();
  const ends = endsAround(text, part, most - widest - weight(taken));
  const parts = [...ends, ...taken, ...(part === undefined ? [] : [part])];
  const ranges = joined(parts, text.length).flatMap((range) => aligned(range, source));
  return assemble(source, ranges, { part, perToken });

  function weight(some: readonly TextRange[]): number {
    return some.reduce((sum, { start, end }) => sum + sentBytes(text.slice(start, end)) + widest, 0);
  }

  function takePassages(): readonly TextRange[] {
    let left = Math.floor((most - widest) * passagesShare);
    const sure = [...endsAround(text, part, most - widest - left), ...(part === undefined ? [] : [part])];
    const found: TextRange[] = [];
    for (const passage of passages) {
      if (found.length === mostPassages) break;
      if (sure.some(({ start, end }) => start <= passage.start && passage.end <= end)) continue;
      const bytes = weight([passage]);
      if (bytes > left) continue;
      left -= bytes;
      found.push(passage);
    }
    return found;
  }
}

/** The beginning of the part that fits; undefined if there is no space. */
function fittingPart(text: string, keep: TextRange, bytes: number): TextRange | undefined {
  const [start, end] = [characterStart(text, keep.start), characterStart(text, keep.end)];
  const to = forward(text, { start, end }, bytes);
  return to > start ? { start, end: to } : undefined;
}

/** Moves a place inside a surrogate pair before it. */
const characterStart = (text: string, at: number): number =>
  at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff ? at - 1 : at;

/** Head and tail share the space that the middle part leaves; either may use what the other does not need. */
function endsAround(text: string, part: TextRange | undefined, space: number): readonly TextRange[] {
  const all = { start: 0, end: text.length };
  const before = part === undefined ? all : { start: 0, end: part.start };
  const after = part === undefined ? all : { start: part.end, end: text.length };
  const marks = part === undefined ? 0 : sentBytes(mark(Number.MAX_SAFE_INTEGER / 1e6, bytesPerToken));
  const left = Math.max(0, space - marks - (part === undefined ? 0 : sentBytes(text.slice(part.start, part.end))));
  const half = Math.floor(left / 2);
  const [needsBefore, needsAfter] = [before, after].map((range) => sentBytes(text.slice(range.start, range.end)));
  const head = Math.min(needsBefore!, Math.max(half, left - needsAfter!));
  const tail = Math.min(needsAfter!, left - head);
  return [
    { start: 0, end: signStart(text, forward(text, before, head)) },
    { start: signEnd(text, backward(text, after, tail)), end: text.length },
  ];
}

let segmenter: Intl.Segmenter | undefined;
/** In code units. An emoji of a family of four takes eleven, a letter with combining marks a few. */
const longestSign = 40;
const signStart = (text: string, at: number): number => signAround(text, at)?.start ?? at;
const signEnd = (text: string, at: number): number => signAround(text, at)?.end ?? at;

/** Undefined: the place is between two characters. */
function signAround(text: string, at: number): TextRange | undefined {
  if (at <= 0 || at >= text.length) return undefined;
  // No search is needed between plain letters.
  if (text.charCodeAt(at - 1) < 0x300 && text.charCodeAt(at) < 0x300 && text[at] !== '\n') return undefined;
  const from = characterStart(text, Math.max(0, at - longestSign));
  const near = text.slice(from, at + longestSign);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const sign = segmenter.segment(near).containing(at - from);
  if (sign === undefined || sign.index === at - from) return undefined;
  return { start: from + sign.index, end: from + sign.index + sign.segment.length };
}

/** Sorted, with adjacent ranges merged. The ends of the text are included even if empty. */
function joined(ranges: readonly TextRange[], length: number): readonly TextRange[] {
  const result: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = result.at(-1);
    if (last !== undefined && range.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else result.push(range);
  }
  return result.filter(({ start, end }) => start < end || start === 0 || end === length);
}

/** Moves the ends so that they neither split a mark nor leave one next to a new gap, whose mark counts both. */
function aligned({ start, end }: TextRange, { text, gaps }: GappedText): readonly TextRange[] {
  let [from, to] = [start, end];
  for (const gap of gaps) if (from > 0 && from >= gap.start && from < gap.end) from = gap.end;
  for (const gap of gaps.toReversed()) if (to < text.length && to > gap.start && to <= gap.end) to = gap.start;
  return from <= to ? [{ start: from, end: to }] : [];
}

function assemble(
  source: GappedText,
  ranges: readonly TextRange[],
  { part, perToken }: { readonly part: TextRange | undefined; readonly perToken: number },
): CutText {
  const { text, gaps } = source;
  const found: TextGap[] = [];
  let result = '';
  let done = 0;
  let kept: TextRange | undefined;
  const leave = (to: number): void => {
    const bytes = uncut(source, { start: done, end: to });
    if (to <= done || bytes === 0) return;
    const start = result.length;
    result += mark(bytes, perToken);
    found.push({ start, end: result.length, bytes });
  };
  for (const { start, end } of ranges) {
    leave(start);
    const shift = result.length - start;
    for (const gap of gaps.filter((each) => each.start >= start && each.end <= end))
      found.push({ ...gap, start: gap.start + shift, end: gap.end + shift });
    if (part !== undefined && part.start >= start && part.start < end)
      kept = { start: part.start + shift, end: Math.min(part.end, end) + shift };
    result += text.slice(start, end);
    done = end;
  }
  leave(text.length);
  return { text: result, gaps: found, keep: kept };
}

/** Weight of a range, including the text that its marks replace. The range must not split a mark. */
function uncut({ text, gaps }: GappedText, { start, end }: TextRange): number {
  const inside = gaps.filter((gap) => gap.start >= start && gap.end <= end);
  return inside.reduce(
    (sum, gap) => sum + gap.bytes - sentBytes(text.slice(gap.start, gap.end)),
    sentBytes(text.slice(start, end)),
  );
}

function forward(text: string, { start, end }: TextRange, bytes: number): number {
  let [left, at] = [bytes, start];
  while (at < end) {
    const code = text.codePointAt(at)!;
    left -= sentSize(code);
    const next = at + (code > 0xffff ? 2 : 1);
    if (left < 0 || next > end) break;
    at = next;
  }
  return at;
}

function backward(text: string, { start, end }: TextRange, bytes: number): number {
  let [left, at] = [bytes, end];
  while (at > start) {
    const pair = at - 2 >= start ? text.codePointAt(at - 2)! : 0;
    const code = pair > 0xffff ? pair : text.charCodeAt(at - 1);
    left -= sentSize(code);
    if (left < 0) break;
    at -= code > 0xffff ? 2 : 1;
  }
  return at;
}

const shortEscapes: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c]);

/** Size of a character inside JSON, in bytes. */
function sentSize(code: number): number {
  if (shortEscapes.has(code)) return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

const marks =
  /\n?\[… about (?<cut>\d{1,9}) tokens cut here …\]\n?|…(?<limited>\d{1,9}) (?<unit>chars|tokens) truncated…/g;

/** Finds gaps by their marks, in a text without a record. The user's words need one: a user may type such a mark. */
export const gapsIn = (text: string): readonly TextGap[] =>
  [...text.matchAll(marks)].map(({ index, 0: found, groups = {} }) => {
    const amount = Number(groups['cut'] ?? groups['limited']);
    const bytes = groups['unit'] === 'chars' ? amount : amount * bytesPerToken;
    return { start: index, end: index + found.length, bytes };
  });

/** Small parts get what they want, large ones share the rest. If a share is below `least`, the largest gets nothing. */
export function splitBudget(wanted: readonly number[], budget: number, least: number): readonly number[] {
  const bySize = [...wanted.entries()].toSorted(([, one], [, other]) => one - other);
  for (let count = bySize.length; count > 0; count--) {
    const shares = new Map<number, number>();
    let left = Math.max(0, budget);
    for (const [index, want] of bySize.slice(0, count)) {
      const share = Math.min(want, Math.floor(left / (count - shares.size)));
      shares.set(index, share);
      left -= share;
    }
    const areUsable = [...shares].every(([index, share]) => share >= least || share === wanted[index]);
    if (areUsable) return wanted.map((_, index) => shares.get(index) ?? 0);
  }
  return wanted.map(() => 0);
}

const shortest = 5;
const longest = 10;

/** A beginning for our lines that no foreign line has: up to ten signs, or else five signs and a number. */
export function fenceFor(sign: '=' | '-', texts: readonly string[]): string {
  const begun = new RegExp(`(?:^|[${controlRegexClass}])(${sign}{${shortest},${longest}})(\\d{0,9})`, 'g');
  let used = shortest - 1;
  const numbers = new Set<string>();
  for (const text of texts) {
    for (const [, signs = '', digits = ''] of text.matchAll(begun)) {
      used = Math.max(used, signs.length);
      for (let length = 1; signs.length === shortest && length <= digits.length; length++)
        numbers.add(digits.slice(0, length));
    }
  }
  if (used < longest) return sign.repeat(used + 1);
  let number = 1;
  while (numbers.has(String(number))) number++;
  return `${sign.repeat(shortest)}${number}`;
}
