const leastCapacity = 256;
const noBytes = Buffer.alloc(0);

/** Collects bytes in one buffer. A list of pieces would keep alive all the memory they were cut from. */
export class BoundedBuffer {
  readonly #most: number;
  #memory: Buffer = noBytes;
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  /** False if the limit is exceeded; the buffer then drops everything. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.#most) {
      this.clear();
      return false;
    }
    if (length > this.#memory.length) this.#grow(length);
    this.#memory.set(piece, this.#length);
    this.#length = length;
    return true;
  }

  take(): Buffer {
    const bytes = this.#memory.subarray(0, this.#length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#memory = noBytes;
    this.#length = 0;
  }

  #grow(needed: number): void {
    const capacity = Math.min(this.#most, Math.max(needed, 2 * this.#memory.length, leastCapacity));
    const memory = Buffer.allocUnsafeSlow(capacity);
    this.#memory.copy(memory, 0, 0, this.#length);
    this.#memory = memory;
  }
}
