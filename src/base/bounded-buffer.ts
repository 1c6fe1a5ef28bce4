const leastCapacity = 256;
const noBytes = Buffer.alloc(0);

/**
 * Bytes that come in pieces, copied into one buffer. A list of pieces would take far more memory than their bytes: each
 * is an object, and keeps all of the memory alive that it was cut from.
 */
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

  /** False: there are more than may be held. Then nothing is held any more. */
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

  /** All of them; they are the caller's, and nothing is held any more. */
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
