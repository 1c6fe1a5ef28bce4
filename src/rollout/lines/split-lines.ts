import type { OpenFile } from '../../ports/files.ts';
import { Fault } from '../../protocol/outcome.ts';
import { RawLine } from './raw-line.ts';

const newline = 0x0a;
/** Enough for a reader of only the first lines. */
const firstBlock = 64 * 1024;
const laterBlock = 1024 * 1024;
/** Far more than a line with pictures has; a file without line ends must not fill the memory. */
const longestLine = 256 * 1024 * 1024;

/**
 * The lines of a file in order, those of one block at a time. Lines are cut from bytes, not from text, so a character
 * may lie across blocks; the pieces of a long line are joined once. `from` is where a line begins. Throws a `Fault` where
 * a line is longer than any program writes.
 */
export async function* splitForward(
  file: OpenFile,
  { from = 0, longest = longestLine }: { readonly from?: number; readonly longest?: number } = {},
): AsyncGenerator<readonly RawLine[], void> {
  let pieces: Buffer[] = [];
  let memory: Buffer = Buffer.allocUnsafeSlow(firstBlock);
  let at = from;
  for (let position = from; ;) {
    const block = await readBlock(file, position, memory.length, memory);
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = block.indexOf(newline); end !== -1; end = block.indexOf(newline, start)) {
      if (pieces.length === 0) lines.push(new RawLine(block, { start, end, terminated: true, at, kept: false }));
      else lines.push(wholeLine(Buffer.concat([...pieces, block.subarray(start, end)]), { terminated: true, at }));
      pieces = [];
      start = end + 1;
      at = position + start;
    }
    position += block.length;
    if (start < block.length) pieces.push(Buffer.from(block.subarray(start)));
    if (position - at > longest) throw tooLong(longest);
    if (lines.length > 0) yield lines;
    // The end of the file: nothing more is read than that it is the end.
    if (block.length < memory.length) break;
    // One piece of memory for all blocks: fresh memory costs more than reading into it.
    if (memory.length < laterBlock) memory = Buffer.allocUnsafeSlow(laterBlock);
  }
  if (pieces.length > 0) yield [wholeLine(joined(pieces), { terminated: false, at })];
}

/**
 * The same lines from the last to the first. What is appended after the call is not seen. With `keep` all of them stay
 * valid, and a block is read while the one behind it is looked at.
 */
export async function* splitBackward(
  file: OpenFile,
  { keep } = { keep: false },
): AsyncGenerator<readonly RawLine[], void> {
  let terminated = false;
  // The later part of the line that is being put together, last piece first.
  let pieces: Buffer[] = [];
  let position = await file.size();
  let memory: Buffer = Buffer.allocUnsafeSlow(Math.min(firstBlock, position));
  const readBefore = (): Promise<Buffer> | undefined => {
    if (position === 0) return undefined;
    const length = Math.min(memory.length, position);
    position -= length;
    return readBlock(file, position, length, memory);
  };
  let reading = readBefore();
  try {
    while (reading !== undefined) {
      const block = await reading;
      const start = position;
      // Fresh memory costs more than reading into it, so that it is shared where that is possible.
      if (keep || memory.length < Math.min(laterBlock, position))
        memory = Buffer.allocUnsafeSlow(Math.min(laterBlock, position));
      reading = keep ? readBefore() : undefined;
      // The caller that waits for it gets the failure; it must not surface before.
      reading?.catch(() => {});
      const lines: RawLine[] = [];
      let end = block.length;
      for (let at = block.lastIndexOf(newline); at !== -1; at = end === 0 ? -1 : block.lastIndexOf(newline, end - 1)) {
        const place = { terminated, at: start + at + 1 };
        if (pieces.length > 0)
          lines.push(wholeLine(Buffer.concat([block.subarray(at + 1, end), ...pieces.toReversed()]), place));
        else if (terminated || end > at + 1)
          lines.push(new RawLine(block, { start: at + 1, end, kept: keep, ...place }));
        terminated = true;
        pieces = [];
        end = at;
      }
      if (end > 0) pieces.push(keep ? block.subarray(0, end) : Buffer.from(block.subarray(0, end)));
      if (pieces.length > longestLine / laterBlock) throw tooLong(longestLine);
      if (lines.length > 0) yield lines;
      reading ??= readBefore();
    }
  } finally {
    // A file must not be closed while it is read.
    await reading?.catch(() => {});
  }
  if (terminated || pieces.length > 0) yield [wholeLine(joined(pieces.toReversed()), { terminated, at: 0 })];
}

function tooLong(longest: number): Fault {
  return new Fault({
    code: 'line-too-long',
    message: `The thread file cannot be read: it has a line of more than ${longest / 1024 / 1024} MB.`,
    next: 'The file is damaged. Restore it from a backup.',
  });
}

function wholeLine(bytes: Buffer, place: Pick<RawLine, 'terminated' | 'at'>): RawLine {
  return new RawLine(bytes, { start: 0, end: bytes.length, kept: true, ...place });
}

/** Into our memory, whatever the file does: a caller that keeps lines keeps their blocks and nothing more. */
async function readBlock(file: OpenFile, position: number, length: number, memory: Buffer): Promise<Buffer> {
  const bytes = await file.read(position, length, memory);
  if (bytes.buffer !== memory.buffer) memory.set(bytes);
  return memory.subarray(0, bytes.length);
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
