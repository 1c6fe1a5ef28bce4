import { graphemesOf } from '../boundaries.ts';
import type { Draft } from '../draft.ts';
import {
  behindElement,
  before,
  elementAt,
  firstNonBlank,
  lineEnd,
  lineStart,
  maskedText,
  signKind,
  type WordKind,
} from './vim-text.ts';

/** Where a motion ends. `inclusive`: an operator takes the character there as well. `lines`: it takes whole lines. */
export interface VimMove {
  readonly to: number;
  readonly takes: 'exclusive' | 'inclusive' | 'lines';
}

/** A search for a character on the line. */
export interface VimFind {
  readonly key: 'f' | 'F' | 't' | 'T';
  readonly sign: string;
}

export interface MotionOptions {
  /** Undefined: none was typed. */
  readonly count: number | undefined;
  /** The column that moves up and down keep to. */
  readonly column: number | undefined;
}

/** Undefined: no such motion, or it leads nowhere. */
export function vimMotion(draft: Draft, key: string, { count, column }: MotionOptions): VimMove | undefined {
  const { text, cursor } = draft;
  const times = count ?? 1;
  switch (key) {
    case 'h':
    case 'left':
    case 'backspace':
      return exclusive(repeat(cursor, times, (at) => (at > lineStart(text, at) ? before(draft, at) : at)));
    case 'l':
    case 'right':
    case 'space':
      return exclusive(repeat(cursor, times, (at) => (at < lineEnd(text, at) ? behindElement(draft, at) : at)));
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
  // Before the character that was found last, the next one is meant.
  let at = isAgain && isTill ? cursor + (isForward ? 1 : -1) : cursor;
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  for (let left = count; left > 0; left--) {
    at = isForward ? text.indexOf(sign, at + 1) : at <= start ? -1 : text.lastIndexOf(sign, at - 1);
    if (at < start || at >= end) return undefined;
  }
  if (isForward) return { to: isTill ? before(draft, at) : at, takes: 'inclusive' };
  return exclusive(isTill ? behindElement(draft, at) : at);
}

/** The column of the cursor, for moves up and down. */
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

/** The same column some lines below, or above; undefined: there is no line. */
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
  const to = repeat(start, column, (at) => (at < end ? behindElement(draft, at) : at));
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
  let at = behindElement(draft, from);
  while (at < text.length && signKind(text[at], kind) === 0) at++;
  if (at >= text.length) return from;
  const word = signKind(text[at], kind);
  while (at < text.length && signKind(text[at], kind) === word) at++;
  return elementAt(draft.elements, at - 1)?.start ?? before(draft, at);
}
