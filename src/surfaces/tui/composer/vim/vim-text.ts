import { nextGrapheme, previousGrapheme } from '../boundaries.ts';
import { type Draft, type DraftElement, outside } from '../draft.ts';

/** A character that no keyboard has: commands take an element for a word of its own, whatever stands in its place. */
const filler = '\uE000';

/** The text with fillers in the place of elements. Places in it are places in the text. */
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

/** Where its break stands, or the text ends. */
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

/** Behind the character or the element at a place. */
export function behindElement({ text, elements }: Draft, at: number): number {
  return elementAt(elements, at)?.end ?? nextGrapheme(text, at);
}

/** The beginning of the character or the element before a place. */
export function before({ text, elements }: Draft, at: number): number {
  return elementAt(elements, at - 1)?.start ?? previousGrapheme(text, at);
}

/** The draft with its cursor on a character, as far as its line has one. */
export function settled(draft: Draft): Draft {
  const { text, elements } = draft;
  const at = outside(elements, Math.max(0, Math.min(draft.cursor, text.length)), 'start');
  const isBehind = at === lineEnd(text, at) && at > lineStart(text, at);
  return { ...draft, cursor: isBehind ? before(draft, at) : at };
}

const separators = new Set('`~!@#$%^&*()-=+[{]}\\|;:\'",.<>/?');

export type WordKind = 'small' | 'big';

/** 0: blank, 1: word, 2: separators. For a big word there is no difference between the last two. */
export function signKind(sign: string | undefined, kind: WordKind): 0 | 1 | 2 {
  if (sign === undefined || /\s/.test(sign)) return 0;
  return kind === 'small' && separators.has(sign) ? 2 : 1;
}
