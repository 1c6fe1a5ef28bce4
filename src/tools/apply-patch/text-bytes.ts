import { Buffer, isUtf8 } from 'node:buffer';

/**
 * Bytes as text and back without loss. A byte that is no part of valid UTF-8 becomes the lone surrogate U+DC00 plus
 * the byte, which no patch can contain: it is carried along and never matched.
 */
export function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let text = '';
  for (let at = 0; at < buffer.length;) {
    const end = at + sequenceLength(buffer[at]!);
    const piece = buffer.subarray(at, end);
    if (end <= buffer.length && isUtf8(piece)) {
      text += piece.toString('utf8');
      at = end;
    } else {
      text += String.fromCharCode(0xdc00 + buffer[at]!);
      at += 1;
    }
  }
  return text;
}

export function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const pieces = text
    .split(/([\udc80-\udcff])(?<![\ud800-\udbff][\udc80-\udcff])/)
    .map((piece) => (piece.isWellFormed() ? Buffer.from(piece, 'utf8') : Buffer.from([piece.charCodeAt(0) - 0xdc00])));
  return Buffer.concat(pieces);
}

/** How long a character is that begins with the byte; 1 for a byte that begins none. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
