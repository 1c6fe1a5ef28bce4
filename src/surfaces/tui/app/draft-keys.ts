import { mentionAt } from '../composer/mention-token.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal-input.ts';
import type { MentionPopup } from '../views/mention-popup.ts';
import type { DraftDoors } from './draft-doors.ts';
import type { TuiStage } from './stage.ts';

export interface DraftKeysParts {
  readonly stage: TuiStage;
  /** Undefined while the engine is loading. */
  doors(): DraftDoors | undefined;
}

/** Keys of what opens beside a draft. Each part is loaded when it is used first. */
export class DraftKeys {
  readonly #parts: DraftKeysParts;
  #mentions: MentionPopup | 'loading' | undefined;

  constructor(parts: DraftKeysParts) {
    this.#parts = parts;
  }

  /** False: the key is for others. */
  input(input: TerminalInput): boolean {
    return input.kind === 'key' && this.#ofMentions(input);
  }

  /** The draft may be another one. */
  update(): void {
    const { stage } = this.#parts;
    const { draft } = stage.composer;
    if (this.#mentions === undefined) {
      if (mentionAt(draft) !== undefined) void this.#load();
    } else if (this.#mentions !== 'loading') this.#mentions.update(draft);
    this.#show();
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
    const popup = this.#open;
    this.#parts.stage.under = popup === undefined ? undefined : (look) => popup.rows(look);
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
