const most = 20;

/** What was cut out of drafts, the newest first. It outlives the draft. */
export class KillRing {
  #texts: string[] = [];

  /** What is cut in one go with what was cut before becomes one text with it. */
  add(text: string, joined: 'before' | 'behind' | undefined): void {
    if (text === '') return;
    const [last, ...rest] = this.#texts;
    if (joined === undefined || last === undefined) this.#texts = [text, ...this.#texts].slice(0, most);
    else this.#texts = [joined === 'before' ? text + last : last + text, ...rest];
  }

  get newest(): string | undefined {
    return this.#texts[0];
  }

  /** The newest becomes the oldest. */
  rotate(): string | undefined {
    const [first, ...rest] = this.#texts;
    if (first !== undefined) this.#texts = [...rest, first];
    return this.newest;
  }
}
