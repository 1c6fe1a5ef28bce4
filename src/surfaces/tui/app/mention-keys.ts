import type { Draft } from '../composer/draft.ts';
import { mentionAt } from '../composer/mention-token.ts';
import type { KeyPress } from '../screen/terminal-input.ts';
import type { MentionPopup } from '../views/mention-popup.ts';
import type { DraftDoors } from './draft-doors.ts';
import type { TuiStage } from './stage.ts';

export interface MentionKeysParts {
  readonly stage: Pick<TuiStage, 'composer'>;
  /** Undefined while the engine is loading. */
  doors(): DraftDoors | undefined;
  /** There is something else to be seen. */
  changed(): void;
  /** What goes wrong with it is shown. */
  run(work: Promise<unknown>): void;
}

/** Keys of the list of files and skills. It is loaded when the first mention is typed. */
export class MentionKeys {
  readonly #parts: MentionKeysParts;
  #popup: MentionPopup | 'loading' | undefined;

  constructor(parts: MentionKeysParts) {
    this.#parts = parts;
  }

  /** The list, while it is there. */
  get open(): MentionPopup | undefined {
    const popup = this.#popup;
    return popup !== undefined && popup !== 'loading' && popup.isOpen ? popup : undefined;
  }

  /** The draft may be another one. */
  update(draft: Draft): void {
    const popup = this.#popup;
    if (popup === undefined) {
      const source = mentionAt(draft) === undefined ? undefined : this.#parts.doors();
      if (source !== undefined) this.#parts.run(this.#load(source));
    } else if (popup !== 'loading') popup.update(draft);
  }

  /** False: the key is for others. */
  input({ name }: KeyPress): boolean {
    const popup = this.open;
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

  async #load(source: DraftDoors): Promise<void> {
    const { stage, changed } = this.#parts;
    this.#popup = 'loading';
    const { MentionPopup } = await import('../views/mention-popup.ts');
    const popup = new MentionPopup(source, changed);
    this.#popup = popup;
    popup.update(stage.composer.draft);
    changed();
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
