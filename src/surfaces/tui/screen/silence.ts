/**
 * Calls back when nothing has come for a time. While the program was busy, keys may wait to be read: the silence is over
 * only after the program has looked for them. What is timed behind input hangs on this and never on a timer alone, which
 * Node runs before it reads.
 */
export class Silence {
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Immediate | undefined;

  constructor(over: () => void) {
    this.#over = over;
  }

  /** Something has come. */
  restart(milliseconds: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      // Node reads input between timers and this.
      this.#looking = setImmediate(this.#over);
    }, milliseconds).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#looking);
  }
}
