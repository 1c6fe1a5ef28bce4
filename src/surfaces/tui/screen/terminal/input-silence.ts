/** A timer this late was held up. */
const lateMs = 20;

/**
 * Calls back after a time without input. Keys may wait to be read while the program was busy, so the silence is over
 * only after the program has checked for them. Use this for timing after input, never a plain timer, which Node runs
 * before it reads.
 */
export class InputSilence {
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Immediate | undefined;

  constructor(over: () => void) {
    this.#over = over;
  }

  restart(milliseconds: number): void {
    this.stop();
    this.#wait(milliseconds, 'first');
  }

  #wait(milliseconds: number, time: 'first' | 'second'): void {
    const due = Date.now() + milliseconds;
    this.#timer = setTimeout(() => {
      // On a busy machine terminal data may arrive as late as this timer: wait once more.
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
