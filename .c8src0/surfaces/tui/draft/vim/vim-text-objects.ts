import { lineEnd, nextGrapheme, positionOutsideElements, previousGrapheme, characterClassOf } from '../draft.ts';
import type { Draft, DraftElement, DraftRange, WordKind } from '../draft.ts';

/** Opening and closing signs, and the letter that means both. */
const pairs = ['()b', '[]', '{}B'];

/** The range of `iw`, `a(` and the like at the cursor; undefined: there is no such object. */
export function vimObject(draft: Draft, around: 'i' | 'a', key: string): DraftRange | undefined {
  const text = maskedText(draft);
  const { cursor } = draft;
  if (key === 'w' || key === 'W') return wordRange(text, cursor, around, key === 'w' ? 'small' : 'big');
  if (key === '"' || key === "'" || key === '`') return quoted(text, cursor, around, key);
  const pair = pairs.find((signs) => signs.includes(key));
  return pair === undefined ? undefined : enclosed(text, cursor, around, pair);
}

function wordRange(text: string, cursor: number, around: 'i' | 'a', word: WordKind): DraftRange | undefined {
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  if (start === end) return undefined;
  const kindAt = (at: number) => characterClassOf(text[at], word);
  let from = cursor;
  let to = cursor;
  while (from > start && kindAt(from - 1) === kindAt(cursor)) from--;
  while (to < end && kindAt(to) === kindAt(cursor)) to++;
  if (around === 'i') return [from, to];
  const behind = to;
  if (kindAt(cursor) === 'blank') {
    while (to < end && kindAt(to) !== 'blank' && kindAt(to) === kindAt(behind)) to++;
  } else {
    while (to < end && kindAt(to) === 'blank') to++;
    // Without blanks after the word, take those before it.
    if (to === behind) while (from > start && kindAt(from - 1) === 'blank') from--;
  }
  return [from, to];
}

function quoted(text: string, cursor: number, around: 'i' | 'a', quote: string): DraftRange | undefined {
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

function enclosed(text: string, cursor: number, around: 'i' | 'a', [open, close]: string): DraftRange | undefined {
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

export const maskedText = ({ text, elements }: Draft): string =>
  elements.reduce(
    (masked, { start, end }) => masked.slice(0, start) + filler.repeat(end - start) + masked.slice(end),
    text,
  );

export const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

export function firstNonBlank(text: string, at: number): number {
  const start = lineStart(text, at);
  return start + (/^[^\S\n]*/.exec(text.slice(start, lineEnd(text, at)))?.[0].length ?? 0);
}

export const elementAt = (elements: readonly DraftElement[], at: number): DraftElement | undefined =>
  elements.find(({ start, end }) => start <= at && at < end);
export const positionAfter = ({ text, elements }: Draft, at: number): number =>
  elementAt(elements, at)?.end ?? nextGrapheme(text, at);
export const positionBefore = ({ text, elements }: Draft, at: number): number =>
  elementAt(elements, at - 1)?.start ?? previousGrapheme(text, at);

/** The next position on the same line, if there is one. */
export const positionLeft = (draft: Draft, at = draft.cursor): number =>
  at > lineStart(draft.text, at) ? positionBefore(draft, at) : at;
export const positionRight = (draft: Draft, at = draft.cursor): number =>
  at < lineEnd(draft.text, at) ? positionAfter(draft, at) : at;

/** Moves the cursor there, and onto a character if the line has one. */
export function clampCursorToLine(draft: Draft, cursor = draft.cursor): Draft {
  const { text, elements } = draft;
  const at = positionOutsideElements(elements, Math.max(0, Math.min(cursor, text.length)), 'start');
  const isBehind = at === lineEnd(text, at) && at > lineStart(text, at);
  return { ...draft, cursor: isBehind ? positionBefore(draft, at) : at };
}
