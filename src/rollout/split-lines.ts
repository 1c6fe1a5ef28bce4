import type { OpenFile } from '../ports/files.ts';

export interface RawLine {
  /** Without the newline. */
  readonly bytes: Uint8Array;
  /** False only for what stands after the last newline of the file. */
  readonly terminated: boolean;
}

const newline = 0x0a;
const forwardBlock = 128 * 1024;
const backwardBlock = 64 * 1024;

/**
 * The lines of a file in order, those of one block at a time. Lines are cut from bytes, not from text, so a character
 * may lie across blocks; the pieces of a long line are joined once, so a line may be as long as memory allows.
 */
export async function* splitForward(file: OpenFile): AsyncGenerator<readonly RawLine[], void> {
  let pieces: Uint8Array[] = [];
  for (let position = 0; ;) {
    const block = await file.read(position, forwardBlock);
    if (block.length === 0) break;
    position += block.length;
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = block.indexOf(newline); end !== -1; end = block.indexOf(newline, start)) {
      lines.push({ bytes: joined([...pieces, block.subarray(start, end)]), terminated: true });
      pieces = [];
      start = end + 1;
    }
    if (start < block.length) pieces.push(block.subarray(start));
    if (lines.length > 0) yield lines;
  }
  if (pieces.length > 0) yield [{ bytes: joined(pieces), terminated: false }];
}

/** The same lines from the last to the first. What is appended after the call is not seen. */
export async function* splitBackward(file: OpenFile): AsyncGenerator<readonly RawLine[], void> {
  let terminated = false;
  // The later part of the line that is being put together, last piece first.
  let pieces: Uint8Array[] = [];
  for (let position = await file.size(); position > 0;) {
    const length = Math.min(backwardBlock, position);
    position -= length;
    const block = await file.read(position, length);
    const lines: RawLine[] = [];
    let end = block.length;
    for (let at = block.lastIndexOf(newline); at !== -1; at = end === 0 ? -1 : block.lastIndexOf(newline, end - 1)) {
      const bytes = joined([...pieces, block.subarray(at + 1, end)].toReversed());
      if (terminated || bytes.length > 0) lines.push({ bytes, terminated });
      terminated = true;
      pieces = [];
      end = at;
    }
    if (end > 0) pieces.push(block.subarray(0, end));
    if (lines.length > 0) yield lines;
  }
  if (terminated || pieces.length > 0) yield [{ bytes: joined(pieces.toReversed()), terminated }];
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
