/** Any run of bytes that need no escape, then an escape that `JSON.stringify` writes, and so on. It never backs off. */
const content = /[^"\\\x00-\x1f]*(?:\\["\\bfnrt][^"\\\x00-\x1f]*)*/y;

/** V8 keeps some bytes for each escape until a match ends, and has a limit for them. */
const pieceLength = 4096;

/**
 * Where the content of a JSON string ends that begins at `start`: before its quotation mark, or before the first byte
 * that is not written as `JSON.stringify` writes it. Bytes beyond ASCII are taken for what they should be. Never behind
 * `end`.
 */
export function stringEnd(bytes: Buffer, start: number, end: number): number {
  for (let at = start; ;) {
    const piece = bytes.toString('latin1', at, Math.min(end, at + pieceLength));
    content.lastIndex = 0;
    content.test(piece);
    const passed = content.lastIndex;
    at += passed;
    // The half of an escape at the end of a piece is looked at again with its other half.
    if (passed < piece.length - 1 || passed === 0) return at;
  }
}
