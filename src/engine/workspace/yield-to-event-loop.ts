import type { Clock } from '../../ports/system.ts';

/** How long the process works without looking after anything else. */
const sliceMs = 4;

/** Thrown by `rest` when the work is to end. */
export class Stopped extends Error {}

/** Lets long work of blocking calls share the process with everything else. */
export class Pace {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #began: number;
  #steps = 0;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#began = clock.now();
  }

  /** Asked before every piece of the work, which is as long as so many small steps: whether it is time to rest. */
  isDue(steps: number): boolean {
    this.#steps += steps;
    // Reading the clock is cheap, and a file is cheaper.
    if (this.#steps < 16) return false;
    this.#steps = 0;
    return this.#clock.now() - this.#began >= sliceMs;
  }

  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#signal.aborted) throw new Stopped();
    this.#began = this.#clock.now();
  }
}
