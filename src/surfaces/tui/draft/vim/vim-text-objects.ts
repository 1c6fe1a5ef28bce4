import { type Draft, type DraftElement, nextGrapheme, positionOutsideElements, previousGrapheme } from '../draft.ts';

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

/** The range of `iw`, `a(` and the like at the cursor; undefined: there is no such object. */
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
    // Without blanks after the word, take those before it.
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
    // Outside all quotations, the next one on the line is used.
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

/** A character that no keyboard has: commands treat an element as a word of its own, whatever its text. */
const filler = '\uE000';

export function maskedText({ text, elements }: Draft): string {
  let masked = text;
  for (const { start, end } of elements) {
    masked = masked.slice(0, start) + filler.repeat(end - start) + masked.slice(end);
  }
  return masked;
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

export function firstNonBlank(text: string, at: number): number {
  const start = lineStart(text, at);
  const end = lineEnd(text, at);
  const blanks = /^[^\S\n]*/.exec(text.slice(start, end))?.[0].length ?? 0;
  return start + blanks;
}

export function elementAt(elements: readonly DraftElement[], at: number): DraftElement | undefined {
  return elements.find(({ start, end }) => start <= at && at < end);
}

export function positionAfter({ text, elements }: Draft, at: number): number {
  return elementAt(elements, at)?.end ?? nextGrapheme(text, at);
}

export function positionBefore({ text, elements }: Draft, at: number): number {
  return elementAt(elements, at - 1)?.start ?? previousGrapheme(text, at);
}

/** Moves the cursor onto a character if its line has one. */
export function clampCursorToLine(draft: Draft): Draft {
  const { text, elements } = draft;
  const at = positionOutsideElements(elements, Math.max(0, Math.min(draft.cursor, text.length)), 'start');
  const isBehind = at === lineEnd(text, at) && at > lineStart(text, at);
  return { ...draft, cursor: isBehind ? positionBefore(draft, at) : at };
}

const separators = new Set('`~!@#$%^&*()-=+[{]}\\|;:\'",.<>/?');

export type WordKind = 'small' | 'big';

/** 0: blank, 1: word, 2: separators. A big word makes no difference between the last two. */
export function signKind(sign: string | undefined, kind: WordKind): 0 | 1 | 2 {
  if (sign === undefined || /\s/.test(sign)) return 0;
  return kind === 'small' && separators.has(sign) ? 2 : 1;
}
