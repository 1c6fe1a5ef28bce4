/** Frames for what happens by itself are at least so far apart, after any other: no more than a screen shows. */
const frameMs = 16;
/** Frames for keys are at least so far apart: a flood of keys, such as a paste in pieces, must not draw all day. */
const keyFrameMs = 4;

/**
 * When to draw. Many changes make one frame, but what a key has changed never waits for the frame of what streams. Time
 * passes on the screen while something runs.
 */
export class FrameClock {
  readonly #draw: () => void;
  /** When the last frame was drawn, and the last one for a key. */
  #last = -frameMs;
  #lastKey = -keyFrameMs;
  #next: NodeJS.Timeout | undefined;
  #echo: NodeJS.Immediate | undefined;
  /** The next frame is for a key. */
  #isForKey = false;
  #ticking: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** For what happens by itself. */
  ask(): void {
    if (this.#isAsked || this.#isStopped) return;
    this.#next = setTimeout(() => this.now(), Math.max(0, frameMs - (performance.now() - this.#last)));
  }

  /** For a key: as soon as all is read that came with it. */
  echo(): void {
    if (this.#isForKey || this.#isStopped) return;
    this.#isForKey = true;
    clearTimeout(this.#next);
    this.#next = undefined;
    const wait = keyFrameMs - (performance.now() - this.#lastKey);
    if (wait > 0) this.#next = setTimeout(() => this.now(), wait);
    else this.#echo = setImmediate(() => this.now());
  }

  now(): void {
    const isForKey = this.#isForKey;
    this.#forget();
    if (this.#isStopped) return;
    this.#last = performance.now();
    if (isForKey) this.#lastKey = this.#last;
    this.#draw();
  }

  /** A frame in every so many milliseconds; undefined: none by itself. */
  tick(milliseconds: number | undefined): void {
    clearInterval(this.#ticking);
    this.#ticking = milliseconds === undefined ? undefined : setInterval(() => this.ask(), milliseconds);
  }

  stop(): void {
    this.#isStopped = true;
    this.#forget();
    clearInterval(this.#ticking);
  }

  get #isAsked(): boolean {
    return this.#next !== undefined || this.#echo !== undefined;
  }

  #forget(): void {
    clearTimeout(this.#next);
    clearImmediate(this.#echo);
    this.#next = undefined;
    this.#echo = undefined;
    this.#isForKey = false;
  }
}
