/** Characters so close to each other come from no hand. */
const fastMs = 8;
/** So many of them are a burst. */
const least = 3;

/**
 * Notices a paste that a terminal does not mark: characters come faster than anyone types. An Enter counts as one of
 * them. What follows belongs to it until `end`. The words that an input method gives at once look the same.
 */
export class PasteBurst {
  readonly #now: () => number;
  #run = '';
  #count = 0;
  #lastAt = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  typed(text: string): void {
    const now = this.#now();
    const isJoined = this.isOn || now - this.#lastAt <= fastMs;
    this.#run = isJoined ? this.#run + text : text;
    this.#count = (isJoined ? this.#count : 0) + [...text].length;
    this.#lastAt = now;
  }

  /** What came is known to be part of a paste. */
  begin(): void {
    this.#count = Math.max(this.#count, least);
  }

  get isOn(): boolean {
    return this.#count >= least;
  }

  /** All that came in one go. Empty: it is no burst. */
  get run(): string {
    return this.isOn ? this.#run : '';
  }

  /** No more comes, or the user does something else. */
  end(): void {
    this.#run = '';
    this.#count = 0;
    this.#lastAt = -Infinity;
  }
}
