/** A timer that runs so much later than it should was held up. */
const lateMs = 20;

/**
 * Calls back when nothing has come for a time. While the program was busy, keys may wait to be read: the silence is over
 * only after the program has looked for them. What is timed behind input hangs on this and never on a timer alone, which
 * Node runs before it reads.
 */
export class InputSilence {
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Immediate | undefined;

  constructor(over: () => void) {
    this.#over = over;
  }

  /** Something has come. */
  restart(milliseconds: number): void {
    this.stop();
    this.#wait(milliseconds, 'first');
  }

  #wait(milliseconds: number, time: 'first' | 'second'): void {
    const due = Date.now() + milliseconds;
    this.#timer = setTimeout(() => {
      // On a busy machine the terminal's own data may come as late as this timer: then once more.
      if (time === 'first' && Date.now() - due > lateMs) return this.#wait(milliseconds, 'second');
      // Node reads input between timers and this.
      this.#looking = setImmediate(this.#over);
    }, milliseconds).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#looking);
  }
}
