import type { Clock } from '../../ports/system.ts';

/** The longest time that the process works without a pause. */
const sliceMs = 4;

/** Thrown by `rest` when the signal has ended the work. */
export class WorkStoppedError extends Error {}

/** Lets long work of blocking calls share the process with everything else. */
export class TimeSlicer {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #began: number;
  #steps = 0;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#began = clock.now();
  }

  /** Call it before every piece of work, with its size in small steps; returns true if it is time to rest. */
  isDue(steps: number): boolean {
    this.#steps += steps;
    // Reading the clock is cheap, but looking at a file is cheaper.
    if (this.#steps < 16) return false;
    this.#steps = 0;
    return this.#clock.now() - this.#began >= sliceMs;
  }

  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#signal.aborted) throw new WorkStoppedError();
    this.#began = this.#clock.now();
  }
}
