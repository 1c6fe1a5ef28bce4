import type { Draft } from '../draft.ts';
import { lineEnd, lineStart, maskedText, signKind, type WordKind } from './vim-text.ts';

export type VimRange = readonly [from: number, to: number];

const pairs: Readonly<Record<string, readonly [open: string, close: string]>> = {
  '(': ['(', ')'],
  ')': ['(', ')'],
  b: ['(', ')'],
  '[': ['[', ']'],
  ']': ['[', ']'],
  '{': ['{', '}'],
  '}': ['{', '}'],
  B: ['{', '}'],
};

/** What `iw`, `a(` and the like stand for around the cursor; undefined: there is no such thing. */
export function vimObject(draft: Draft, around: 'i' | 'a', key: string): VimRange | undefined {
  const text = maskedText(draft);
  const { cursor } = draft;
  if (key === 'w' || key === 'W') return wordRange(text, cursor, { kind: key === 'w' ? 'small' : 'big', around });
  if (key === '"' || key === "'" || key === '`') return quoted(text, cursor, { quote: key, around });
  const pair = pairs[key];
  return pair === undefined ? undefined : enclosed(text, cursor, { pair, around });
}

function wordRange(
  text: string,
  cursor: number,
  { kind, around }: { readonly kind: WordKind; readonly around: 'i' | 'a' },
): VimRange | undefined {
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  if (start === end) return undefined;
  const same = (at: number, as: number): boolean => signKind(text[at], kind) === signKind(text[as], kind);
  let from = cursor;
  let to = cursor;
  while (from > start && same(from - 1, cursor)) from--;
  while (to < end && same(to, cursor)) to++;
  if (around === 'i') return [from, to];
  const behind = to;
  if (signKind(text[cursor], kind) === 0) {
    while (to < end && signKind(text[to], kind) !== 0 && same(to, behind)) to++;
  } else {
    while (to < end && signKind(text[to], kind) === 0) to++;
    // Without blanks behind it, those before it go with it.
    if (to === behind) while (from > start && signKind(text[from - 1], kind) === 0) from--;
  }
  return [from, to];
}

function quoted(
  text: string,
  cursor: number,
  { quote, around }: { readonly quote: string; readonly around: 'i' | 'a' },
): VimRange | undefined {
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  const places: number[] = [];
  for (let at = start; at < end; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) places.push(at);
  }
  for (let at = 0; at + 1 < places.length; at += 2) {
    const [open = 0, close = 0] = places.slice(at, at + 2);
    // The first behind the cursor counts where it is in none.
    if (cursor <= close) return around === 'i' ? [open + 1, close] : [open, close + 1];
  }
  return undefined;
}

function enclosed(
  text: string,
  cursor: number,
  { pair: [open, close], around }: { readonly pair: readonly [string, string]; readonly around: 'i' | 'a' },
): VimRange | undefined {
  let depth = 0;
  let from = cursor;
  for (; from >= 0; from--) {
    if (text[from] === close && from !== cursor) depth++;
    else if (text[from] === open && depth-- === 0) break;
  }
  if (from < 0) return undefined;
  depth = 0;
  for (let to = from + 1; to < text.length; to++) {
    if (text[to] === open) depth++;
    else if (text[to] === close && depth-- === 0) return around === 'i' ? [from + 1, to] : [from, to + 1];
  }
  return undefined;
}
