import type { LineKind } from '../../protocol/line.ts';

/**
 * One line as it stands in a file. It is a place in a block of bytes: an object for the bytes of each line would cost
 * more than most lines are worth.
 */
export class RawLine {
  /** Holds the line, from `start` to before `end`, without its newline. */
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
  /** False only for what stands after the last newline of the file. */
  readonly terminated: boolean;
  /** Where the line begins in the file. */
  readonly at: number;
  /** Whether the block is the reader's to keep. Otherwise it is valid until the next one is asked for. */
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

  /** Longer than any program writes: its place and its length are known, its bytes were not read. */
  get isTooLong(): boolean {
    return this.end > this.block.length;
  }

  get bytes(): Buffer {
    return this.block.subarray(this.start, this.end);
  }

  utf8(): string {
    return this.block.toString('utf8', this.start, this.end);
  }

  /** Its bytes from one to another, counted from its beginning, a character for each. */
  latin1(from = 0, to = this.length): string {
    return this.block.toString('latin1', this.start + from, Math.min(this.start + to, this.end));
  }
}

/** What the first bytes of a line say about it. */
export interface PeekedLine extends LineKind {
  readonly ordinal: number | undefined;
  /** Where the payload begins. */
  readonly payloadAt: number;
}

const opening =
  /^\{"timestamp":"[^"\\]*",(?:"ordinal":(0|[1-9]\d{0,14}),)?"type":"(\w+)","payload":(?=\{(?:"type":"(\w+)"[,}])?)/;

/** More than a line needs to say what it is. */
const longestOpening = 256;

/** The kind of a line that has its keys in the order in which all programs write them, without parsing it. */
export function peekLine(line: RawLine): PeekedLine | undefined {
  const found = opening.exec(line.latin1(0, longestOpening));
  if (found === null) return undefined;
  const [{ length: payloadAt }, ordinal, type = '', payloadType] = found;
  return { type, payloadType, ordinal: ordinal === undefined ? undefined : Number(ordinal), payloadAt };
}
