/** Characters so close to each other come from no hand. */
const fastMs = 8;
/** So many of them are a burst. */
const least = 3;
/** An Enter so soon after a burst belongs to it. */
const enterMs = 120;

/**
 * Notices a paste that a terminal does not mark: characters come faster than anyone types. They are shown at once, none
 * is held back; what differs is that an Enter among them sends nothing. Only plain letters begin a burst: an input method
 * gives several signs at a time.
 */
export class PasteBurst {
  readonly #now: () => number;
  #run = '';
  #plain = 0;
  #lastAt = -Infinity;
  #burstAt = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  typed(text: string): void {
    const now = this.#now();
    const isFast = now - this.#lastAt <= fastMs;
    this.#run = isFast ? this.#run + text : text;
    this.#plain = (isFast ? this.#plain : 0) + text.replaceAll(/[^\t\n -~]/g, '').length;
    this.#lastAt = now;
    if (this.#plain >= least) this.#burstAt = now;
  }

  /** Characters are still coming. */
  get isRunning(): boolean {
    return this.#plain >= least && this.#now() - this.#lastAt <= fastMs;
  }

  /** Whether an Enter is part of a paste. */
  get takesEnter(): boolean {
    return this.#now() - this.#burstAt <= enterMs;
  }

  /** No more comes: all that came in one go. Empty: it was no burst. */
  end(): string {
    const run = this.#plain >= least ? this.#run : '';
    this.#run = '';
    this.#plain = 0;
    return run;
  }

  /** The user did something else. */
  clear(): void {
    this.end();
    this.#lastAt = -Infinity;
    this.#burstAt = -Infinity;
  }
}

/** How long a silence ends a burst. */
export function burstSilence(platform: NodeJS.Platform): number {
  return platform === 'win32' ? 60 : fastMs;
}
