/** Characters so close to each other come from no hand. */
const fastMs = 8;
/** So many of them are a burst. */
const least = 3;

/**
 * Notices a paste that a terminal does not mark: characters come faster than anyone types. An Enter counts as one of
 * them. What follows belongs to it until `end`. Only plain letters begin a burst: an input method gives several signs at
 * a time.
 */
export class PasteBurst {
  readonly #now: () => number;
  #run = '';
  #plain = 0;
  #lastAt = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  typed(text: string): void {
    const now = this.#now();
    const isJoined = this.isOn || now - this.#lastAt <= fastMs;
    this.#run = isJoined ? this.#run + text : text;
    this.#plain = (isJoined ? this.#plain : 0) + text.replaceAll(/[^\t\n -~]/g, '').length;
    this.#lastAt = now;
  }

  /** What came is known to be part of a paste. */
  begin(): void {
    this.#plain = Math.max(this.#plain, least);
  }

  get isOn(): boolean {
    return this.#plain >= least;
  }

  /** All that came in one go. Empty: it is no burst. */
  get run(): string {
    return this.isOn ? this.#run : '';
  }

  /** No more comes, or the user does something else. */
  end(): void {
    this.#run = '';
    this.#plain = 0;
    this.#lastAt = -Infinity;
  }
}
