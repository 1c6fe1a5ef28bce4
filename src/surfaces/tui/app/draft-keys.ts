import { emptyDraft } from '../composer/draft.ts';
import { mentionAt } from '../composer/mention-token.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal-input.ts';
import type { ReverseSearch } from '../composer/reverse-search.ts';
import type { MentionPopup } from '../views/mention-popup.ts';
import { pastedPicture } from './pasted-picture.ts';
import type { DraftDoors } from './draft-doors.ts';
import type { TuiStage } from './stage.ts';

export interface DraftKeysParts {
  readonly stage: TuiStage;
  /** Undefined while the engine is loading. */
  doors(): DraftDoors | undefined;
  notice(text: string, level: 'info' | 'error'): void;
}

/** Keys of what opens beside a draft. Each part is loaded when it is used first. */
export class DraftKeys {
  readonly #parts: DraftKeysParts;
  #mentions: MentionPopup | 'loading' | undefined;
  #search: ReverseSearch | 'loading' | undefined;
  /** Typed while the search was loading. */
  readonly #early: TerminalInput[] = [];

  constructor(parts: DraftKeysParts) {
    this.#parts = parts;
  }

  /** False: the key is for others. */
  input(input: TerminalInput): boolean {
    if (this.#search === 'loading') return this.#early.push(input) > 0;
    if (this.#search !== undefined) return this.#search.input(input);
    if (input.kind === 'paste') return this.#pastePicture(input.text);
    if (input.kind !== 'key') return false;
    switch (input.name) {
      case 'ctrl+r':
        void this.#openSearch();
        return true;
      case 'ctrl+v':
      case 'alt+v':
        void this.#attach();
        return true;
      default:
        return this.#ofMentions(input);
    }
  }

  async #attach(): Promise<void> {
    const doors = this.#parts.doors();
    if (doors === undefined) return;
    const { attachFromClipboard } = await import('./attach-picture.ts');
    await attachFromClipboard(this.#parts, doors);
    this.update();
  }

  /** A path of a picture becomes the picture, where the model can see it. */
  #pastePicture(text: string): boolean {
    const { composer } = this.#parts.stage;
    if (this.#parts.doors()?.takesPictures === false) return false;
    const draft = pastedPicture(composer.draft, text, process.env);
    if (draft === undefined) return false;
    composer.draft = draft;
    return true;
  }

  /** The draft may be another one. */
  update(): void {
    const { stage } = this.#parts;
    if (this.#search !== undefined) return;
    const draft = stage.composer.isRecalled ? emptyDraft : stage.composer.draft;
    if (this.#mentions === undefined) {
      if (mentionAt(draft) !== undefined) void this.#load();
    } else if (this.#mentions !== 'loading') this.#mentions.update(draft);
    this.#show();
  }

  async #openSearch(): Promise<void> {
    const { stage } = this.#parts;
    const { composer } = stage;
    this.#search = 'loading';
    const { ReverseSearch } = await import('../composer/reverse-search.ts');
    const close = (): void => {
      this.#search = undefined;
      this.#show();
    };
    this.#search = new ReverseSearch({ composer, changed: () => stage.draw(), close });
    for (const input of this.#early.splice(0)) this.input(input);
    this.#show();
    stage.draw();
  }

  async #load(): Promise<void> {
    const { stage, doors } = this.#parts;
    const source = doors();
    if (source === undefined) return;
    this.#mentions = 'loading';
    const { MentionPopup } = await import('../views/mention-popup.ts');
    this.#mentions = new MentionPopup(source, () => {
      this.#show();
      stage.draw();
    });
    this.update();
  }

  /** The popup, while it is there. */
  get #open(): MentionPopup | undefined {
    const popup = this.#mentions;
    return popup !== undefined && popup !== 'loading' && popup.isOpen ? popup : undefined;
  }

  #show(): void {
    const shown = this.#search === 'loading' ? undefined : (this.#search ?? this.#open);
    this.#parts.stage.under = shown === undefined ? undefined : (look) => shown.rows(look);
  }

  #ofMentions({ name }: KeyPress): boolean {
    const popup = this.#open;
    if (popup === undefined) return false;
    switch (name) {
      case 'up':
      case 'ctrl+p':
        popup.move(-1);
        return true;
      case 'down':
      case 'ctrl+n':
        popup.move(1);
        return true;
      case 'left':
      case 'right':
        return popup.switchFilter(name === 'left' ? -1 : 1);
      case 'escape':
        popup.close();
        return true;
      case 'tab':
      case 'enter':
        return this.#choose(popup);
      default:
        return false;
    }
  }

  #choose(popup: MentionPopup): boolean {
    const { stage, doors } = this.#parts;
    const { chosen } = popup;
    const source = doors();
    if (chosen === undefined || source === undefined) return false;
    stage.composer.draft = popup.insert(stage.composer.draft, chosen, source);
    if (chosen.item.kind === 'file') source.named(chosen.item.name);
    return true;
  }
}
