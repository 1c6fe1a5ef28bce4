import type { OpenFile } from '../../../ports/files.ts';
import type { LineKind } from '../../../protocol/line.ts';
import { Fault } from '../../../protocol/outcome.ts';

const newline = 0x0a;
/** Enough for a reader of only the first lines. */
const firstBlock = 64 * 1024;
const laterBlock = 1024 * 1024;
/** Far more than a line with pictures has. A file may set a smaller limit. */
const longestLine = 256 * 1024 * 1024;
/** A longer line is held only once its end is known: a file without line ends must not fill the memory. */
const mostHeld = 1024 * 1024;
/** Lines per batch: a block of short lines may contain half a million. */
const mostLines = 4096;

/**
 * The lines of a file in order, in batches, without empty ones. Lines are cut from bytes, so a character may cross
 * blocks. `from` must be the beginning of a line. An over-long line comes without its bytes; if the caller sets
 * `longest`, a longer line throws a `Fault`.
 */
export async function* splitLinesForward(
  file: OpenFile,
  { from = 0, longest }: { readonly from?: number; readonly longest?: number } = {},
): AsyncGenerator<readonly RawLine[], void> {
  let pieces: Buffer[] = [];
  let isLong = false;
  let memory: Buffer = Buffer.allocUnsafeSlow(firstBlock);
  let at = from;
  for (let position = from; ;) {
    const block = await readBlock(file, position, memory.length, memory);
    let lines: RawLine[] = [];
    let start = 0;
    for (let end = block.indexOf(newline); end !== -1; end = block.indexOf(newline, start)) {
      if (isLong) lines.push(await longLine(file, { at, end: position + end, terminated: true }));
      else if (pieces.length === 0) {
        if (end > start) lines.push(new RawLine(block, { start, end, terminated: true, at, kept: false }));
      } else lines.push(wholeLine(Buffer.concat([...pieces, block.subarray(start, end)]), { terminated: true, at }));
      pieces = [];
      isLong = false;
      start = end + 1;
      at = position + start;
      if (lines.length < mostLines) continue;
      yield lines;
      lines = [];
    }
    position += block.length;
    isLong = position - at > mostHeld;
    if (isLong) pieces = [];
    else if (start < block.length) pieces.push(Buffer.from(block.subarray(start)));
    if (longest !== undefined && position - at > longest) throw tooLong(longest);
    if (lines.length > 0) yield lines;
    // A short read is the end of the file: do not read again.
    if (block.length < memory.length) {
      if (isLong) yield [await longLine(file, { at, end: position, terminated: false })];
      break;
    }
    // Reuse one buffer for all blocks: allocating costs more than reading into it.
    if (memory.length < laterBlock) memory = Buffer.allocUnsafeSlow(laterBlock);
  }
  if (pieces.length > 0) yield [wholeLine(joined(pieces), { terminated: false, at })];
}

/** The lines of `splitLinesForward` from last to first. With `keep`, all stay valid, and the next block is read ahead. */
export async function* splitLinesBackward(file: OpenFile, { keep } = { keep: false }) {
  let terminated = false;
  let pieces: Buffer[] = [];
  let isLong = false;
  let position = await file.size();
  let lineEnd = position;
  let memory: Buffer = Buffer.allocUnsafeSlow(Math.min(firstBlock, position));
  const readBefore = (): Promise<Buffer> | undefined => {
    if (position === 0) return undefined;
    const length = Math.min(memory.length, position);
    position -= length;
    return readBlock(file, position, length, memory);
  };
  /** Do not read a line that the file knows to be too long. */
  const skipKnown = (): void => {
    const known = file.tooLong?.().find(({ start, end }) => end === lineEnd && start < position);
    if (known === undefined) return;
    [position, pieces, isLong] = [known.start, [], true];
  };
  skipKnown();
  let reading = readBefore();
  try {
    while (reading !== undefined) {
      const block = await reading;
      const start = position;
      // Allocating costs more than reading, so memory is shared where possible.
      if (keep || memory.length < Math.min(laterBlock, position))
        memory = Buffer.allocUnsafeSlow(Math.min(laterBlock, position));
      reading = keep && file.tooLong === undefined ? readBefore() : undefined;
      // The awaiting caller gets the failure; it must not surface as unhandled before.
      reading?.catch(() => {});
      let lines: RawLine[] = [];
      let end = block.length;
      for (let at = block.lastIndexOf(newline); at !== -1; at = end === 0 ? -1 : block.lastIndexOf(newline, end - 1)) {
        const place = { terminated, at: start + at + 1 };
        if (isLong) lines.push(await longLine(file, { ...place, end: lineEnd }));
        else if (pieces.length > 0)
          lines.push(wholeLine(Buffer.concat([block.subarray(at + 1, end), ...pieces.toReversed()]), place));
        else if (end > at + 1) lines.push(new RawLine(block, { start: at + 1, end, kept: keep, ...place }));
        terminated = true;
        pieces = [];
        isLong = false;
        end = at;
        lineEnd = start + at;
        if (lines.length < mostLines) continue;
        yield lines;
        lines = [];
      }
      isLong ||= lineEnd - start > mostHeld;
      if (isLong) pieces = [];
      else if (end > 0) pieces.push(keep ? block.subarray(0, end) : Buffer.from(block.subarray(0, end)));
      if (lines.length > 0) yield lines;
      if (reading === undefined) {
        skipKnown();
        reading = readBefore();
      }
    }
  } finally {
    // A file must not be closed while it is read.
    await reading?.catch(() => {});
  }
  if (isLong) yield [await longLine(file, { at: 0, end: lineEnd, terminated })];
  else if (pieces.length > 0) yield [wholeLine(joined(pieces.toReversed()), { terminated, at: 0 })];
}

async function longLine(
  file: OpenFile,
  { at, end, terminated }: { readonly at: number; readonly end: number; readonly terminated: boolean },
): Promise<RawLine> {
  const length = end - at;
  if (length <= (file.longestLine ?? longestLine))
    return wholeLine(await readBlock(file, at, length, Buffer.allocUnsafeSlow(length)), { terminated, at });
  return new RawLine(noText, { start: 0, end: length, terminated, at, kept: true });
}

/** Replaces an over-long line with a byte that no line contains. */
const noText = Buffer.from([0]);

const tooLong = (longest: number): Fault =>
  new Fault({
    code: 'line-too-long',
    message: `The thread file cannot be read: it has a line of more than ${longest / 1024 / 1024} MB.`,
    next: 'The file is damaged. Restore it from a backup.',
  });

const wholeLine = (bytes: Buffer, place: Pick<RawLine, 'terminated' | 'at'>): RawLine =>
  new RawLine(bytes, { start: 0, end: bytes.length, kept: true, ...place });

/** Always copies into our memory: a caller that keeps lines keeps only their blocks alive. */
async function readBlock(file: OpenFile, position: number, length: number, memory: Buffer): Promise<Buffer> {
  const bytes = await file.read(position, length, memory);
  if (bytes.buffer !== memory.buffer) memory.set(bytes);
  return memory.subarray(0, bytes.length);
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

/** One line of a file as a place in a block: a buffer object per line would cost more than most lines are worth. */
export class RawLine {
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
  /** False only for the text after the last newline of the file. */
  readonly terminated: boolean;
  readonly at: number;
  /** The block belongs to the reader. Otherwise it is valid only until the next one is requested. */
  readonly kept: boolean;

  constructor(
    block: Buffer,
    { start, end, terminated, at, kept }: Pick<RawLine, 'start' | 'end' | 'terminated' | 'at' | 'kept'>,
  ) {
    this.block = block;
    this.start = start;
    this.end = end;
    this.terminated = terminated;
    this.at = at;
    this.kept = kept;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Longer than any program writes: place and length are known, the bytes were not read. */
  get isTooLong(): boolean {
    return this.end > this.block.length;
  }

  get bytes(): Buffer {
    return this.block.subarray(this.start, this.end);
  }

  utf8(): string {
    return this.block.toString('utf8', this.start, this.end);
  }

  /** Bytes from one offset to another in the line, one character each. */
  latin1(from = 0, to = this.length): string {
    return this.block.toString('latin1', this.start + from, Math.min(this.start + to, this.end));
  }
}

export type PeekedLine = LineKind & { readonly ordinal: number | undefined; readonly payloadAt: number };

const opening =
  /^\{"timestamp":"[^"\\]*",(?:"ordinal":(0|[1-9]\d{0,14}),)?"type":"(\w+)","payload":(?=\{(?:"type":"(\w+)"[,}])?)/;
/** More than a line needs to identify itself. */
const longestOpening = 256;

/** The kind of a line without parsing it, if its keys are in the order that all programs write. */
export function peekLine(line: RawLine): PeekedLine | undefined {
  const found = opening.exec(line.latin1(0, longestOpening));
  if (found === null) return undefined;
  const [{ length: payloadAt }, ordinal, type = '', payloadType] = found;
  return { type, payloadType, ordinal: ordinal === undefined ? undefined : Number(ordinal), payloadAt };
}
