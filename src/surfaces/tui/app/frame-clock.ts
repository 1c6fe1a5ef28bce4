/** Frames are at least so far apart. */
const frameMs = 12;

/** Makes one frame of many wishes for one, and lets time pass on the screen while something runs. */
export class FrameClock {
  readonly #draw: () => void;
  #last = 0;
  #next: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  ask(): void {
    if (this.#next !== undefined || this.#isStopped) return;
    const wait = Math.max(0, frameMs - (performance.now() - this.#last));
    this.#next = setTimeout(() => this.now(), wait);
  }

  now(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
    if (this.#isStopped) return;
    this.#last = performance.now();
    this.#draw();
  }

  /** A frame in every so many milliseconds; undefined: none by itself. */
  tick(milliseconds: number | undefined): void {
    clearInterval(this.#ticking);
    this.#ticking = milliseconds === undefined ? undefined : setInterval(() => this.ask(), milliseconds);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#next);
    clearInterval(this.#ticking);
  }
}
