import type { OpenFile } from '../ports/files.ts';

export interface RawLine {
  /** Without the newline. Valid until the next block is asked for. */
  readonly bytes: Buffer;
  /** False only for what stands after the last newline of the file. */
  readonly terminated: boolean;
  /** Where the line begins in the file. */
  readonly at: number;
}

const newline = 0x0a;
/** Enough for whoever looks only at the first lines. */
const firstBlock = 64 * 1024;
const laterBlock = 1024 * 1024;

/**
 * The lines of a file in order, those of one block at a time. Lines are cut from bytes, not from text, so a character
 * may lie across blocks; the pieces of a long line are joined once, so a line may be as long as memory allows. `from`
 * is where a line begins.
 */
export async function* splitForward(file: OpenFile, from = 0): AsyncGenerator<readonly RawLine[], void> {
  let pieces: Buffer[] = [];
  let memory: Buffer = Buffer.allocUnsafe(firstBlock);
  let at = from;
  for (let position = from, more = true; more; memory = more ? grown(memory) : memory) {
    const block = await readBlock(file, position, memory.length, memory);
    more = block.length === memory.length;
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = block.indexOf(newline); end !== -1; end = block.indexOf(newline, start)) {
      const last = block.subarray(start, end);
      lines.push({ bytes: pieces.length === 0 ? last : Buffer.concat([...pieces, last]), terminated: true, at });
      pieces = [];
      start = end + 1;
      at = position + start;
    }
    position += block.length;
    if (start < block.length) pieces.push(Buffer.from(block.subarray(start)));
    if (lines.length > 0) yield lines;
    // The end of the file: nothing more is read than that it is the end.
    if (block.length < memory.length) break;
  }
  if (pieces.length > 0) yield [{ bytes: joined(pieces), terminated: false, at }];
}

/**
 * The same lines from the last to the first. What is appended after the call is not seen. With `keep`
 * all of them stay valid.
 */
export async function* splitBackward(
  file: OpenFile,
  { keep } = { keep: false },
): AsyncGenerator<readonly RawLine[], void> {
  let terminated = false;
  const next = keep ? () => Buffer.allocUnsafe(laterBlock) : grown;
  // The later part of the line that is being put together, last piece first.
  let pieces: Buffer[] = [];
  let memory: Buffer = Buffer.allocUnsafe(firstBlock);
  for (let position = await file.size(); position > 0; memory = position > 0 ? next(memory) : memory) {
    const length = Math.min(memory.length, position);
    position -= length;
    const block = await readBlock(file, position, length, memory);
    const lines: RawLine[] = [];
    let end = block.length;
    for (let at = block.lastIndexOf(newline); at !== -1; at = end === 0 ? -1 : block.lastIndexOf(newline, end - 1)) {
      const last = block.subarray(at + 1, end);
      const bytes = pieces.length === 0 ? last : Buffer.concat([last, ...pieces.toReversed()]);
      if (terminated || bytes.length > 0) lines.push({ bytes, terminated, at: position + at + 1 });
      terminated = true;
      pieces = [];
      end = at;
    }
    if (end > 0) pieces.push(keep ? block.subarray(0, end) : Buffer.from(block.subarray(0, end)));
    if (lines.length > 0) yield lines;
  }
  if (terminated || pieces.length > 0) yield [{ bytes: joined(pieces.toReversed()), terminated, at: 0 }];
}

/** All blocks share one piece of memory: fresh memory costs more than reading into it. */
function grown(memory: Buffer): Buffer {
  return memory.length === laterBlock ? memory : Buffer.allocUnsafe(laterBlock);
}

async function readBlock(file: OpenFile, position: number, length: number, memory: Buffer): Promise<Buffer> {
  const { buffer, byteOffset, byteLength } = await file.read(position, length, memory);
  return Buffer.from(buffer, byteOffset, byteLength);
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
