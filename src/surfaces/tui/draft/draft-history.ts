import { type Draft, draftFromText, emptyDraft, escapeCommandDraft, isCommandText } from './draft.ts';
import { plainPaste } from './pasted-text.ts';
import { draftPlainText } from './draft-message.ts';

/** What was sent in other conversations, as texts. */
export interface EarlierPrompts {
  /** The next batch, the newest first; undefined when there are no more. It may be read again after it rejected. */
  older(): Promise<readonly string[] | undefined>;
  /** One more was sent here. */
  add(text: string): void;
}

/** A disk that refuses is asked so often. */
const tries = 3;

/** What was sent before, to be recalled: drafts of this conversation, with all that belongs to them, over older texts. */
export class DraftHistory {
  /** The oldest first. */
  #entries: readonly Draft[] = [];
  /** The entry in view; as many as there are: none. */
  #at = 0;
  #earlier: EarlierPrompts | undefined;
  /** Sent before there was a place to keep it. */
  #unkept: Draft[] = [];
  /** Stays the first to be recalled, whatever is sent meanwhile, until it was. */
  #aside: Draft | undefined;
  #loading: Promise<void> | undefined;
  #state: 'more' | 'end' | 'unavailable' = 'end';

  /** From now on what is sent is kept, and older texts can be recalled. */
  attach(earlier: EarlierPrompts): void {
    this.#earlier = earlier;
    this.#state = 'more';
    for (const draft of this.#unkept.splice(0)) earlier.add(draftPlainText(draft));
  }

  /** One that was sent. */
  add(draft: Draft): void {
    if (draft.text.trim() === '') return;
    this.seed(draft);
    if (this.#earlier === undefined) this.#unkept.push(draft);
    else this.#earlier.add(draftPlainText(draft));
  }

  /** One that is kept elsewhere, or nowhere. The same as the last is not added again. */
  seed(draft: Draft): void {
    const aside = this.#aside === undefined ? [] : [this.#aside];
    const others = this.#entries.slice(0, this.#entries.length - aside.length);
    if (draft.text.trim() !== '' && others.at(-1)?.text !== draft.text) this.#entries = [...others, draft, ...aside];
    this.#at = this.#entries.length;
  }

  /** A draft that came back while the user wrote another: the next recall shows it. */
  setAside(draft: Draft): void {
    this.#aside = undefined;
    this.seed(draft);
    this.#aside = this.#entries.at(-1);
  }

  /** Recall is for an empty draft, or for one that was recalled and not changed, with the cursor at an end of it. */
  recalls({ text, cursor }: Draft): boolean {
    const isRecalled = this.#entries[this.#at]?.text === text;
    return text === '' || (isRecalled && (cursor === 0 || cursor === text.length));
  }

  older(): Draft | undefined {
    const now = this.#entries[this.#at]?.text;
    const at = this.#entries.findLastIndex(({ text }, index) => index < this.#at && text !== now);
    if (at === -1) return undefined;
    this.#at = at;
    if (this.#entries[at] === this.#aside) this.#aside = undefined;
    return this.#shown();
  }

  /** Behind the newest there is an empty draft. */
  newer(): Draft | undefined {
    if (this.#at >= this.#entries.length) return undefined;
    const now = this.#entries[this.#at]?.text;
    const at = this.#entries.findIndex(({ text }, index) => index > this.#at && text !== now);
    this.#at = at === -1 ? this.#entries.length : at;
    return this.#shown() ?? emptyDraft;
  }

  /** Whether older texts may be had by `load`; `unavailable`: they cannot be read. */
  get state(): 'more' | 'end' | 'unavailable' {
    return this.#state;
  }

  /** Reads a batch of older texts. Never rejects. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #load(): Promise<void> {
    if (this.#earlier === undefined || this.#state !== 'more') return;
    for (let round = 1; ; round++) {
      try {
        const texts = await this.#earlier.older();
        if (texts === undefined) this.#state = 'end';
        else {
          this.#entries = [...texts.toReversed().map(recalled), ...this.#entries];
          this.#at += texts.length;
        }
        return;
      } catch {
        // What cannot be read is shown as such; nothing of the conversation depends on it.
        if (round === tries) this.#state = 'unavailable';
        if (round === tries) return;
      }
    }
  }

  /** The texts that have the typed words in them, in any case, the newest first and each once. */
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

/** Other programs write to the file, too: a draft has nothing that the composer would not draw, and is no command by that. */
function recalled(text: string): Draft {
  const draft = draftFromText(plainPaste(text));
  return isCommandText(text) ? draft : escapeCommandDraft(draft);
}
