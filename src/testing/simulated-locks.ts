import type { Lock, LockHeld, Locks } from '../ports/files.ts';

/** Locks in memory. `SimulatedDisk` has one set of its own, which its crash releases. */
export class SimulatedLocks implements Locks {
  readonly #held = new Map<string, symbol>();
  #taken = 0;

  async take(path: string): Promise<Lock | LockHeld> {
    if (this.#held.has(path)) return { kind: 'held', owner: 'the simulated writer' };
    const mine = Symbol(path);
    this.#held.set(path, mine);
    return {
      kind: 'lock',
      epoch: ++this.#taken,
      isLost: async () => (this.#held.get(path) ?? mine) !== mine,
      release: async () => {
        if (this.#held.get(path) === mine) this.#held.delete(path);
      },
    };
  }

  takeNew(path: string): Promise<Lock | LockHeld> {
    return this.take(path);
  }

  /** What the operating system does when the holders die. */
  releaseAll(): void {
    this.#held.clear();
  }
}
