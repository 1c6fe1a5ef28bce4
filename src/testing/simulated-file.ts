type Step =
  | { readonly kind: 'append'; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** A file's bytes twice: as a reader sees them, and as the disk has them. */
export class SimulatedFile {
  readonly seen = new Growing();
  readonly #onDisk = new Growing();
  readonly #unsynced: Step[] = [];
  named = true;
  /** Steps taken in all. A sync settles the steps up to the count at its start, whatever other syncs did meanwhile. */
  taken = 0;
  /** Counts changes, unless the test has set another time. */
  modified = 0;

  take(step: Step): void {
    this.seen.apply(step);
    this.#unsynced.push(step);
    this.taken += 1;
    this.modified += 1;
  }

  /** Every step up to this count is on the disk from now on. */
  settle(upTo: number): void {
    const settled = this.taken - this.#unsynced.length;
    for (const step of this.#unsynced.splice(0, Math.max(0, upTo - settled))) this.#onDisk.apply(step);
  }

  afterCrash(chosen: (most: number) => number): SimulatedFile {
    const after = new SimulatedFile();
    after.take({ kind: 'append', bytes: this.#onDisk.slice(0, this.#onDisk.length) });
    const most = this.#unsynced.reduce((sum, step) => sum + weight(step), 0);
    let left = most === 0 ? 0 : chosen(most);
    for (const step of this.#unsynced) {
      if (left === 0) break;
      after.take(step.kind === 'append' ? { ...step, bytes: step.bytes.slice(0, left) } : step);
      left -= Math.min(left, weight(step));
    }
    after.settle(after.taken);
    after.modified = this.modified;
    return after;
  }
}

function weight(step: Step): number {
  return step.kind === 'append' ? step.bytes.length : 1;
}

/** Bytes that grow at the end without being copied each time. */
class Growing {
  #bytes = new Uint8Array(64);
  length = 0;

  slice(start: number, end: number): Uint8Array {
    return this.#bytes.slice(start, end);
  }

  apply(step: Step): void {
    const length = step.kind === 'append' ? this.length + step.bytes.length : step.size;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(length * 2);
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    if (step.kind === 'append') this.#bytes.set(step.bytes, this.length);
    else if (step.size > this.length) this.#bytes.fill(0, this.length, step.size);
    this.length = length;
  }
}
