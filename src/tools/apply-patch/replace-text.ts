import type { Replacement } from './patch.ts';
import { bytesAsText, bytesOf } from './update-bytes.ts';

export type Replaced =
  /** `line`: where the first of them begins, counted from 1. */
  | { readonly kind: 'replaced'; readonly content: Uint8Array; readonly line: number }
  /** `lines`: of the file, for a hint. */
  | { readonly kind: 'not-found'; readonly lines: readonly string[] }
  /** `at`: the first lines that have it, counted from 1. */
  | { readonly kind: 'not-unique'; readonly count: number; readonly at: readonly number[] }
  | { readonly kind: 'encoding'; readonly reason: string };

/** More places are counted no further. */
const mostPlaces = 1000;
const mostNamed = 5;

/**
 * Puts a text in the place of another one that the file has. Every other byte stays. A file whose lines end with CR and
 * LF is searched for the text with such lines, too: models write neither.
 */
export function replaceText(before: Uint8Array, { find, put, all }: Replacement): Replaced {
  const text = bytesAsText(before);
  const isUtf8 = text.isWellFormed();
  if (text.includes('\0')) return { kind: 'encoding', reason: 'the file is not text' };
  if (!isUtf8 && /[^\0-\x7f]/.test(put)) {
    const reason = 'the file is not UTF-8 text, and the new text has characters that would be written as UTF-8';
    return { kind: 'encoding', reason };
  }
  const forms = [{ find, put }, ...(text.includes('\r\n') ? [{ find: withCr(find), put: withCr(put) }] : [])];
  for (const form of forms) {
    const places = placesOf(text, form.find);
    if (places.length === 0) continue;
    if (places.length > 1 && !all) {
      const at = places.slice(0, mostNamed).map((place) => lineAt(text, place));
      return { kind: 'not-unique', count: places.length, at };
    }
    const content = bytesOf(text.replaceAll(form.find, () => form.put));
    return { kind: 'replaced', content, line: lineAt(text, places[0] ?? 0) };
  }
  return { kind: 'not-found', lines: text.split(/\r\n|\r|\n/) };
}

/** Overlapping ones, too: which of them is meant is just as open. */
function placesOf(text: string, find: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(find); at !== -1 && places.length < mostPlaces; at = text.indexOf(find, at + 1)) {
    places.push(at);
  }
  return places;
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function withCr(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}
