const never = new Int32Array(new SharedArrayBuffer(4));

/** Waits, and nothing of this process goes on meanwhile: for moments that another process needs to end its work. */
export function standStill(milliseconds: number): void {
  Atomics.wait(never, 0, 0, milliseconds);
}
