import { planTags } from '../../../protocol/item.ts';

/** The message as people read it: without the lines that only say where a proposed plan begins and ends. */
export function withoutPlanTags(text: string): string {
  const stream = new PlanTagStream();
  return stream.push(text) + stream.end();
}

/** The same for a text that arrives in pieces. What may become such a line is held back until it is known. */
export class PlanTagStream {
  /** The tags that may still come. */
  #tags: readonly string[] = planTags;
  /** The break before the line, and as much of the line as may be a tag. */
  #held = '';
  /** The line that arrives is none. */
  #isText = false;
  #hasText = false;

  /** How many tags have come. What is passed next stands behind them. */
  get passed(): number {
    return planTags.length - this.#tags.length;
  }

  push(piece: string): string {
    const [rest = '', ...lines] = piece.split('\n');
    let passed = this.#take(rest);
    for (const line of lines) passed += this.#endLine() + this.#take(line);
    return passed;
  }

  /** Nothing more comes. Gives what was held back. */
  end(): string {
    return this.#isTag() ? this.#drop() : this.#pass();
  }

  #take(part: string): string {
    this.#held += part;
    const line = this.#held.trim();
    const [tag = ''] = this.#tags;
    const mayBe = tag !== '' && tag.startsWith(line);
    return mayBe && !this.#isText ? '' : this.#pass();
  }

  /** The break stays with what follows it: it goes with a tag. */
  #endLine(): string {
    const isFirst = this.#isTag() && !this.#hasText;
    const passed = this.end();
    this.#isText = false;
    this.#held = isFirst ? '' : '\n';
    return passed;
  }

  #isTag(): boolean {
    return !this.#isText && this.#held.trim() === this.#tags[0];
  }

  #drop(): string {
    this.#tags = this.#tags.slice(1);
    this.#held = '';
    return '';
  }

  #pass(): string {
    const passed = this.#held;
    this.#held = '';
    this.#isText = passed.trim() !== '' || this.#isText;
    this.#hasText ||= passed !== '';
    return passed;
  }
}
