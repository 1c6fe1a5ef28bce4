/**
 * Calls back when nothing has come for a time. While the program was busy, keys may wait to be read: the silence is over
 * only after the program has looked for them.
 */
export class Silence {
  readonly #milliseconds: number;
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Immediate | undefined;

  constructor(milliseconds: number, over: () => void) {
    this.#milliseconds = milliseconds;
    this.#over = over;
  }

  /** Something has come. */
  restart(): void {
    this.stop();
    this.#timer = setTimeout(() => {
      // Node reads input between timers and this.
      this.#looking = setImmediate(this.#over);
    }, this.#milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#looking);
  }
}
