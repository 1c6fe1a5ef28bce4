import type { DraftPart } from './draft.ts';

const most = 20;

/** What was cut out of drafts, with what its elements stand for, the newest first. It outlives the draft. */
export class KillRing {
  #parts: readonly DraftPart[] = [];

  /** What is cut in one go with what was cut before becomes one part with it. */
  add(part: DraftPart, joined: 'before' | 'behind' | undefined): void {
    if (part.text === '') return;
    const [last, ...rest] = this.#parts;
    if (joined === undefined || last === undefined) this.#parts = [part, ...this.#parts].slice(0, most);
    else this.#parts = [joined === 'before' ? joinedParts(part, last) : joinedParts(last, part), ...rest];
  }

  get newest(): DraftPart | undefined {
    return this.#parts[0];
  }

  /** The newest becomes the oldest. */
  rotate(): DraftPart | undefined {
    const [first, ...rest] = this.#parts;
    if (first !== undefined) this.#parts = [...rest, first];
    return this.newest;
  }
}

function joinedParts(first: DraftPart, second: DraftPart): DraftPart {
  const by = first.text.length;
  const moved = second.elements.map((each) => ({ ...each, start: each.start + by, end: each.end + by }));
  return { text: first.text + second.text, elements: [...first.elements, ...moved] };
}
