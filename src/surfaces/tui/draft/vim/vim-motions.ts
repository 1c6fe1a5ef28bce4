import { graphemesOf, lineEnd, characterClassOf, nextWordEnd, previousWordStart } from '../draft.ts';
import type { Draft, WordKind } from '../draft.ts';
import {
  elementAt,
  firstNonBlank,
  positionLeft,
  lineStart,
  maskedText,
  positionAfter,
  positionBefore,
  positionRight,
} from './vim-text-objects.ts';

/** The end of a motion. `inclusive`: an operator includes the character there. `lines`: it takes whole lines. */
export type VimMove = { readonly to: number; readonly takes: 'exclusive' | 'inclusive' | 'lines' };
export type VimFind = { readonly key: 'f' | 'F' | 't' | 'T'; readonly sign: string };
export type MotionOptions = { readonly count?: number; readonly column?: number };
type VimMotion = (draft: Draft, options: MotionOptions) => VimMove | undefined;
const exclusive = (to: number): VimMove => ({ to, takes: 'exclusive' });
const wholeLines = (to: number): VimMove => ({ to, takes: 'lines' });
const toLine = ({ text }: Draft, line: number): VimMove => wholeLines(firstNonBlank(text, startOfLine(text, line)));
const steps =
  (next: (draft: Draft, at: number) => number, takes: VimMove['takes'] = 'exclusive'): VimMotion =>
  (draft, { count = 1 }) => ({ to: repeat(draft.cursor, count, (at) => next(draft, at)), takes });
type NextWord = (draft: Draft, from: number, kind: WordKind) => number;

const words = (next: NextWord, kind: WordKind, takes?: VimMove['takes']): VimMotion =>
  steps((draft, at) => next(draft, at, kind), takes);
const previousWord: NextWord = (draft, from, kind) => previousWordStart(maskedText(draft), from, kind);

const motions: Readonly<Record<string, VimMotion>> = {
  h: steps(positionLeft),
  l: steps(positionRight),
  j: (draft, { count = 1, column }) => vertical(draft, count, column),
  k: (draft, { count = 1, column }) => vertical(draft, -count, column),
  w: words(nextWord, 'small'),
  W: words(nextWord, 'big'),
  b: words(previousWord, 'small'),
  B: words(previousWord, 'big'),
  e: words(wordEnd, 'small', 'inclusive'),
  E: words(wordEnd, 'big', 'inclusive'),
  0: ({ text, cursor }) => exclusive(lineStart(text, cursor)),
  '^': ({ text, cursor }) => exclusive(firstNonBlank(text, cursor)),
  $(draft, { count = 1 }) {
    const line = vertical(draft, count - 1, 0);
    return line && exclusive(lineEnd(draft.text, line.to));
  },
  gg: (draft, { count = 1 }) => toLine(draft, count),
  G: (draft, { count = Infinity }) => toLine(draft, count),
};
const keyNames = { left: 'h', backspace: 'h', right: 'l', space: 'l', home: '0', end: '$' };
const otherKeys: Readonly<Record<string, string>> = keyNames;
export const isVimMotion = (key: string): boolean => Object.hasOwn(motions, otherKeys[key] ?? key);
export const vimMotion = (draft: Draft, key: string, options: MotionOptions): VimMove | undefined =>
  motions[otherKeys[key] ?? key]?.(draft, options);

export function vimFind(draft: Draft, { key, sign }: VimFind, count: number, isAgain: boolean): VimMove | undefined {
  const text = maskedText(draft);
  const { cursor } = draft;
  const isForward = key === 'f' || key === 't';
  const isTill = key === 't' || key === 'T';
  // A repeated `t` or `T` skips the character that it stopped next to.
  let at = isAgain && isTill ? cursor + (isForward ? 1 : -1) : cursor;
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  for (let left = count; left > 0; left--) {
    at = isForward ? text.indexOf(sign, at + 1) : at <= start ? -1 : text.lastIndexOf(sign, at - 1);
    if (at < start || at >= end) return undefined;
  }
  if (isForward) return { to: isTill ? positionBefore(draft, at) : at, takes: 'inclusive' };
  return exclusive(isTill ? positionAfter(draft, at) : at);
}

export const cursorColumn = ({ text, cursor }: Draft): number =>
  [...graphemesOf(text.slice(lineStart(text, cursor), cursor))].length;

function repeat(from: number, times: number, step: (at: number) => number): number {
  let at = from;
  for (let left = times; left > 0; left--) {
    const next = step(at);
    if (next === at) break;
    at = next;
  }
  return at;
}

function vertical(draft: Draft, by: number, column = cursorColumn(draft)): VimMove | undefined {
  const { text, cursor } = draft;
  let start = lineStart(text, cursor);
  for (let left = Math.abs(by); left > 0; left--) {
    const next = by > 0 ? lineEnd(text, start) + 1 : lineStart(text, start - 1);
    if (by > 0 ? next > text.length : start === 0) {
      if (left === Math.abs(by)) return undefined;
      break;
    }
    start = next;
  }
  const end = lineEnd(text, start);
  const to = repeat(start, column, (at) => (at < end ? positionAfter(draft, at) : at));
  return { to: Math.min(to, end), takes: 'lines' };
}

const startOfLine = (text: string, line: number): number =>
  repeat(0, line - 1, (start) => (lineEnd(text, start) === text.length ? start : lineEnd(text, start) + 1));

function nextWord(draft: Draft, from: number, kind: WordKind): number {
  const text = maskedText(draft);
  let at = from;
  const first = characterClassOf(text[at], kind);
  if (first !== 'blank') while (at < text.length && characterClassOf(text[at], kind) === first) at++;
  while (at < text.length && characterClassOf(text[at], kind) === 'blank') {
    // An empty line is a word.
    if (at > from && text[at] === '\n' && text[at - 1] === '\n') break;
    at++;
  }
  return at;
}

function wordEnd(draft: Draft, from: number, kind: WordKind): number {
  const text = maskedText(draft);
  const start = positionAfter(draft, from);
  const end = nextWordEnd(text, start, kind);
  if (text.slice(start, end).trim() === '') return from;
  return elementAt(draft.elements, end - 1)?.start ?? positionBefore(draft, end);
}

export type VimSearch = { readonly way: '/' | '?'; readonly typed: string };

/** Case-sensitive if a capital is typed, and wraps around. Undefined: no match. */
export function vimSearch(draft: Draft, { way, typed }: VimSearch, count: number): VimMove | undefined {
  if (typed === '') return undefined;
  const masked = maskedText(draft);
  // Ignore case only if lower case has the same length: otherwise all later positions would be wrong.
  const lower = masked.toLowerCase();
  const folds = typed === typed.toLowerCase() && lower.length === masked.length;
  const text = folds ? lower : masked;
  const places: number[] = [];
  for (let at = text.indexOf(typed); at >= 0; at = text.indexOf(typed, at + 1)) places.push(at);
  if (places.length === 0) return undefined;
  const { cursor } = draft;
  const behind = places.findIndex((place) => place > cursor);
  const before = places.findLastIndex((place) => place < cursor);
  const first = way === '/' ? (behind < 0 ? 0 : behind) : before < 0 ? places.length - 1 : before;
  const step = (count - 1) % places.length;
  const at = way === '/' ? first + step : first - step + places.length;
  return exclusive(places[at % places.length]!);
}
