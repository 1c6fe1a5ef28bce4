import { type Draft, graphemesOf } from '../draft.ts';
import {
  elementAt,
  firstNonBlank,
  lineEnd,
  lineStart,
  maskedText,
  positionAfter,
  positionBefore,
  signKind,
  type WordKind,
} from './vim-text-objects.ts';

/** The end of a motion. `inclusive`: an operator includes the character there. `lines`: it takes whole lines. */
export interface VimMove {
  readonly to: number;
  readonly takes: 'exclusive' | 'inclusive' | 'lines';
}

export interface VimFind {
  readonly key: 'f' | 'F' | 't' | 'T';
  readonly sign: string;
}

export interface MotionOptions {
  readonly count: number | undefined;
  readonly column: number | undefined;
}

export function vimMotion(draft: Draft, key: string, { count, column }: MotionOptions): VimMove | undefined {
  const { text, cursor } = draft;
  const times = count ?? 1;
  switch (key) {
    case 'h':
    case 'left':
    case 'backspace':
      return exclusive(repeat(cursor, times, (at) => (at > lineStart(text, at) ? positionBefore(draft, at) : at)));
    case 'l':
    case 'right':
    case 'space':
      return exclusive(repeat(cursor, times, (at) => (at < lineEnd(text, at) ? positionAfter(draft, at) : at)));
    case 'j':
    case 'k':
      return vertical(draft, key === 'j' ? times : -times, column);
    case 'w':
    case 'W':
      return exclusive(repeat(cursor, times, (at) => nextWord(draft, at, wordKind(key))));
    case 'b':
    case 'B':
      return exclusive(repeat(cursor, times, (at) => previousWord(draft, at, wordKind(key))));
    case 'e':
    case 'E':
      return { to: repeat(cursor, times, (at) => wordEnd(draft, at, wordKind(key))), takes: 'inclusive' };
    case '0':
    case 'home':
      return exclusive(lineStart(text, cursor));
    case '^':
      return exclusive(firstNonBlank(text, cursor));
    case '$':
    case 'end': {
      const line = vertical(draft, times - 1, 0);
      return line === undefined ? undefined : exclusive(lineEnd(text, line.to));
    }
    case 'gg':
    case 'G': {
      const line = count ?? (key === 'gg' ? 1 : Infinity);
      return { to: firstNonBlank(text, startOfLine(text, line)), takes: 'lines' };
    }
    default:
      return undefined;
  }
}

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

export function columnAt({ text, cursor }: Draft): number {
  return [...graphemesOf(text.slice(lineStart(text, cursor), cursor))].length;
}

function exclusive(to: number): VimMove {
  return { to, takes: 'exclusive' };
}

function repeat(from: number, times: number, step: (at: number) => number): number {
  let at = from;
  for (let left = times; left > 0; left--) {
    const next = step(at);
    if (next === at) break;
    at = next;
  }
  return at;
}

function wordKind(key: string): WordKind {
  return key === key.toLowerCase() ? 'small' : 'big';
}

function vertical(draft: Draft, by: number, column = columnAt(draft)): VimMove | undefined {
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

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = lineEnd(text, start);
    if (end === text.length) break;
    start = end + 1;
  }
  return start;
}

function nextWord(draft: Draft, from: number, kind: WordKind): number {
  const text = maskedText(draft);
  let at = from;
  const first = signKind(text[at], kind);
  if (first !== 0) while (at < text.length && signKind(text[at], kind) === first) at++;
  while (at < text.length && signKind(text[at], kind) === 0) {
    // An empty line is a word.
    if (at > from && text[at] === '\n' && text[at - 1] === '\n') break;
    at++;
  }
  return at;
}

function previousWord(draft: Draft, from: number, kind: WordKind): number {
  const text = maskedText(draft);
  let at = from;
  while (at > 0 && signKind(text[at - 1], kind) === 0) at--;
  const last = signKind(text[at - 1], kind);
  while (at > 0 && signKind(text[at - 1], kind) === last) at--;
  return at;
}

function wordEnd(draft: Draft, from: number, kind: WordKind): number {
  const text = maskedText(draft);
  let at = positionAfter(draft, from);
  while (at < text.length && signKind(text[at], kind) === 0) at++;
  if (at >= text.length) return from;
  const word = signKind(text[at], kind);
  while (at < text.length && signKind(text[at], kind) === word) at++;
  return elementAt(draft.elements, at - 1)?.start ?? positionBefore(draft, at);
}

export interface VimSearch {
  readonly way: '/' | '?';
  readonly typed: string;
}

/** The effect of a key on a search that is being typed. `given-up`: it ends without a move. */
export type TypedSearch = VimSearch | 'done' | 'given-up';

export function typedSearch(search: VimSearch, key: string): TypedSearch {
  const { typed } = search;
  switch (key) {
    case 'enter':
      return 'done';
    case 'ctrl+c':
      return 'given-up';
    case 'backspace':
    case 'ctrl+h':
      return typed === '' ? 'given-up' : { ...search, typed: [...typed].slice(0, -1).join('') };
    case 'ctrl+u':
      return { ...search, typed: '' };
    default: {
      const sign = key === 'space' ? ' ' : key;
      return [...sign].length === 1 ? { ...search, typed: typed + sign } : search;
    }
  }
}

/** Case-sensitive if a capital is typed, and wraps around. Undefined: no match. */
export function vimSearch(draft: Draft, { way, typed }: VimSearch, count: number): VimMove | undefined {
  if (typed === '') return undefined;
  const masked = maskedText(draft);
  // Characters that change length in lower case would shift all later positions.
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
  return { to: places[at % places.length]!, takes: 'exclusive' };
}
