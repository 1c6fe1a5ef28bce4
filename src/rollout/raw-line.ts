/**
 * One line as it stands in a file. It is a place in a block of bytes: an object for the bytes of each line would cost
 * more than most lines are worth.
 */
export class RawLine {
  /** Holds the line, from `start` to before `end`, without its newline. Valid until the next block is asked for. */
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
  /** False only for what stands after the last newline of the file. */
  readonly terminated: boolean;
  /** Where the line begins in the file. */
  readonly at: number;

  constructor(block: Buffer, { start, end, terminated, at }: Pick<RawLine, 'start' | 'end' | 'terminated' | 'at'>) {
    this.block = block;
    this.start = start;
    this.end = end;
    this.terminated = terminated;
    this.at = at;
  }

  get length(): number {
    return this.end - this.start;
  }

  get bytes(): Buffer {
    return this.block.subarray(this.start, this.end);
  }

  /** Its bytes from one to another, counted from its beginning, a character for each. */
  latin1(from = 0, to = this.length): string {
    return this.block.toString('latin1', this.start + from, Math.min(this.start + to, this.end));
  }
}
