import { type Draft, emptyDraft } from './draft.ts';

/** What was sent before, to be recalled. */
export class DraftHistory {
  readonly #entries: Draft[] = [];
  /** The entry in view; as many as there are: none. */
  #at = 0;

  /** One that is the same as the last is not added again. */
  add(draft: Draft): void {
    if (draft.text.trim() !== '' && this.#entries.at(-1)?.text !== draft.text) this.#entries.push(draft);
    this.#at = this.#entries.length;
  }

  /** Recall is for an empty draft, or for one that was recalled and not changed, with the cursor at an end of it. */
  recalls({ text, cursor }: Draft): boolean {
    const isRecalled = this.#entries[this.#at]?.text === text;
    return text === '' || (isRecalled && (cursor === 0 || cursor === text.length));
  }

  older(): Draft | undefined {
    if (this.#at === 0) return undefined;
    this.#at--;
    return this.#shown();
  }

  /** Behind the newest there is an empty draft. */
  newer(): Draft | undefined {
    if (this.#at >= this.#entries.length) return undefined;
    this.#at++;
    return this.#at === this.#entries.length ? emptyDraft : this.#shown();
  }

  /** The texts that have the typed words in them, in any case, the newest first and each once. */
  search(typed: string): readonly Draft[] {
    const wanted = typed.toLowerCase();
    const found = new Map<string, Draft>();
    for (const draft of this.#entries.toReversed())
      if (draft.text.toLowerCase().includes(wanted) && !found.has(draft.text)) found.set(draft.text, draft);
    return [...found.values()];
  }

  #shown(): Draft | undefined {
    const draft = this.#entries[this.#at];
    return draft === undefined ? undefined : { ...draft, cursor: draft.text.length };
  }
}
