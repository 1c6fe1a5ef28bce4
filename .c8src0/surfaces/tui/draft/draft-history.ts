import { type Draft, draftFromText, emptyDraft, escapeCommandDraft, isCommandText } from './draft.ts';
import { cleanPastedText } from './pasted-text.ts';
import { draftPlainText } from './draft-message.ts';

export interface EarlierPrompts {
  /** The next batch, newest first; undefined when there are no more. May reject, and can then be called again. */
  older(): Promise<readonly string[] | undefined>;
  add(text: string): void;
}

const tries = 3;

export class DraftHistory {
  /** Oldest first. */
  #entries: readonly Draft[] = [];
  /** Index of the recalled entry; the number of entries if none is recalled. */
  #at = 0;
  #earlier: EarlierPrompts | undefined;
  /** Drafts that the user sent before `attach`, which saves them. */
  #unkept: Draft[] = [];
  /** The draft to recall first, even if the user sends others before that. */
  #aside: Draft | undefined;
  #loading: Promise<void> | undefined;
  /** Availability of older texts through `load`. `unavailable`: they cannot be read. */
  state: 'more' | 'end' | 'unavailable' = 'end';

  /** Saves sent messages from now on, and allows recalling older texts. */
  attach(earlier: EarlierPrompts): void {
    this.#earlier = earlier;
    this.state = 'more';
    for (const draft of this.#unkept.splice(0)) earlier.add(draftPlainText(draft));
  }

  add(draft: Draft): void {
    if (draft.text.trim() === '') return;
    this.seed(draft);
    if (this.#earlier === undefined) this.#unkept.push(draft);
    else this.#earlier.add(draftPlainText(draft));
  }

  /** Adds a draft that is saved elsewhere or nowhere. A repetition of the last is not added. */
  seed(draft: Draft): void {
    const aside = this.#aside === undefined ? [] : [this.#aside];
    const others = this.#entries.slice(0, this.#entries.length - aside.length);
    if (draft.text.trim() !== '' && others.at(-1)?.text !== draft.text) this.#entries = [...others, draft, ...aside];
    this.#at = this.#entries.length;
  }

  /** Keeps a draft that returned while the user wrote another: the next recall shows it. */
  setAside(draft: Draft): void {
    this.#aside = undefined;
    this.seed(draft);
    this.#aside = this.#entries.at(-1);
  }

  /** True for an empty draft, or a recalled and unchanged one with the cursor at either end. */
  recalls({ text, cursor }: Draft): boolean {
    return text === '' || (this.#entries[this.#at]?.text === text && (cursor === 0 || cursor === text.length));
  }

  older(): Draft | undefined {
    const now = this.#entries[this.#at]?.text;
    const at = this.#entries.findLastIndex(({ text }, index) => index < this.#at && text !== now);
    if (at === -1) return undefined;
    this.#at = at;
    if (this.#entries[at] === this.#aside) this.#aside = undefined;
    return this.#shown();
  }

  /** After the newest there is an empty draft. */
  newer(): Draft | undefined {
    if (this.#at >= this.#entries.length) return undefined;
    const now = this.#entries[this.#at]?.text;
    const at = this.#entries.findIndex(({ text }, index) => index > this.#at && text !== now);
    this.#at = at === -1 ? this.#entries.length : at;
    return this.#shown() ?? emptyDraft;
  }

  /** Reads a batch of older texts. Never rejects. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load().finally(() => (this.#loading = undefined)));
  }

  async #load(): Promise<void> {
    if (this.#earlier === undefined || this.state !== 'more') return;
    for (let round = 1; ; round++) {
      try {
        const texts = await this.#earlier.older();
        if (texts === undefined) this.state = 'end';
        else {
          this.#entries = [...texts.toReversed().map(recalled), ...this.#entries];
          this.#at += texts.length;
        }
        return;
      } catch {
        // Show unreadable history as such; nothing else in the conversation depends on it.
        if (round === tries) this.state = 'unavailable';
        if (round === tries) return;
      }
    }
  }

  search(typed: string): readonly Draft[] {
    const wanted = typed.toLowerCase();
    const found = new Map<string, Draft>();
    for (const draft of this.#entries.toReversed())
      if (draft.text.toLowerCase().includes(wanted) && !found.has(draft.text)) found.set(draft.text, draft);
    return [...found.values()].map((draft) => ({ ...draft, cursor: draft.text.length }));
  }

  #shown(): Draft | undefined {
    const draft = this.#entries[this.#at];
    return draft === undefined ? undefined : { ...draft, cursor: draft.text.length };
  }
}

/** Other programs can write to the file: a recalled text must be drawable, and must not become a command. */
function recalled(text: string): Draft {
  const draft = draftFromText(cleanPastedText(text));
  return isCommandText(text) ? draft : escapeCommandDraft(draft);
}
