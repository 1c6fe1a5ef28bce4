import { Buffer, isUtf8 } from 'node:buffer';
import { computeUpdate, type UpdateProblem } from './compute-update.ts';
import type { Chunk } from './patch.ts';
import type { SearchEffort } from './seek-lines.ts';

const byteOrderMark = '\ufeff';

/** Applies chunks to a file of any encoding that has ASCII in it. Bytes of lines that no chunk replaces stay. */
export function updateBytes(
  before: Uint8Array,
  chunks: readonly Chunk[],
  effort: SearchEffort,
):
  | { readonly kind: 'updated'; readonly content: Uint8Array; readonly places: readonly number[] }
  | UpdateProblem
  /** The file is in an encoding in which the patch cannot be applied without harm. */
  | { readonly kind: 'encoding'; readonly reason: string } {
  const text = bytesAsText(before);
  if (!text.isWellFormed()) {
    const reason = harmIn(text, chunks);
    if (reason !== undefined) return { kind: 'encoding', reason };
  }
  const updated = computeUpdate(text, chunks, effort);
  if (updated.kind === 'updated') return { kind: 'updated', content: bytesOf(updated.text), places: updated.places };
  if (!text.startsWith(byteOrderMark)) return updated;
  // The mark is invisible and in no patch: without it the first line may fit.
  const unmarked = computeUpdate(text.slice(1), chunks, effort);
  if (unmarked.kind !== 'updated') return updated;
  return { kind: 'updated', content: bytesOf(byteOrderMark + unmarked.text), places: unmarked.places };
}

function harmIn(text: string, chunks: readonly Chunk[]): string | undefined {
  // Two bytes per character, or no text at all: its line feeds are not ours.
  if (text.includes('\0')) return 'the file is not UTF-8 text';
  const added = chunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== 'remove'));
  if (added.every((line) => /^[\0-\x7f]*$/.test(line.text))) return undefined;
  return 'the file is not UTF-8 text, and the patch has characters that would be written as UTF-8';
}

/**
 * Bytes as text and back without loss. A byte that is no part of valid UTF-8 becomes the lone surrogate U+DC00 plus
 * the byte, which no patch can contain: it is carried along and never matched.
 */
export function bytesAsText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  const pieces: string[] = [];
  let valid = 0;
  for (let at = 0; at < buffer.length;) {
    const length = characterAt(buffer, at);
    if (length === 0) {
      pieces.push(buffer.toString('utf8', valid, at), String.fromCharCode(0xdc00 + buffer[at]!));
      valid = at + 1;
    }
    at += Math.max(length, 1);
  }
  return pieces.join('') + buffer.toString('utf8', valid);
}

export function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const pieces = text
    .split(/([\udc80-\udcff])(?<![\ud800-\udbff][\udc80-\udcff])/)
    .map((piece) => (piece.isWellFormed() ? Buffer.from(piece, 'utf8') : Buffer.from([piece.charCodeAt(0) - 0xdc00])));
  return Buffer.concat(pieces);
}

/** How many bytes the character at a place has; 0 where there is none. */
function characterAt(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  // 0x80 to 0xc1 begin no character, nor do those beyond the last one of Unicode.
  if (lead < 0xc2 || lead > 0xf4 || at + length > bytes.length) return 0;
  for (let next = at + 1; next < at + length; next++) if ((bytes[next]! & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1]!;
  // Longer than needed, half of a pair, or beyond Unicode.
  const isUnfit =
    (lead === 0xe0 && second < 0xa0) ||
    (lead === 0xed && second > 0x9f) ||
    (lead === 0xf0 && second < 0x90) ||
    (lead === 0xf4 && second > 0x8f);
  return isUnfit ? 0 : length;
}
