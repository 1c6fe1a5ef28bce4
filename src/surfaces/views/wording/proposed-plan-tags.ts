import { planTags } from '../../../protocol/item.ts';

/** The message for people: without the lines that only mark a proposed plan. */
export function withoutPlanTags(text: string): string {
  const stream = new PlanTagStream();
  return stream.push(text) + stream.end();
}

/** Removes plan tags from a text that arrives in pieces. A possible tag line is held back until it is known. */
export class PlanTagStream {
  #tags: readonly string[] = planTags;
  /** The break before the line, and as much of the line as may be a tag. */
  #held = '';
  #isText = false;
  #hasText = false;

  /** The number of tags so far. The next text comes after them. */
  get passed(): number {
    return planTags.length - this.#tags.length;
  }

  push(piece: string): string {
    const [rest = '', ...lines] = piece.split('\n');
    let passed = this.#take(rest);
    for (const line of lines) passed += this.#endLine() + this.#take(line);
    return passed;
  }

  /** Ends the text and returns what was held back. */
  end(): string {
    return this.#isTag() ? this.#drop() : this.#pass();
  }

  #take(part: string): string {
    this.#held += part;
    const line = this.#held.trim();
    const [tag = ''] = this.#tags;
    return tag !== '' && tag.startsWith(line) && !this.#isText ? '' : this.#pass();
  }

  /** A line break belongs to the line after it: if that line is a tag, it is removed with the tag. */
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
