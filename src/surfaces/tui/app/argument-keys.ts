import { type Draft, draftOf } from '../composer/draft.ts';
import type { KeyPress } from '../screen/terminal-input.ts';
import type { ArgumentPopup, ArgumentValues } from '../views/argument-popup.ts';
import { askedArgument } from '../views/asked-argument.ts';
import type { MentionKeysParts } from './mention-keys.ts';

/** Keys of the list of arguments. It is loaded when the first command with one is typed. */
export class ArgumentKeys {
  readonly #parts: MentionKeysParts;
  #popup: ArgumentPopup | 'loading' | undefined;
  /** Tab was pressed behind this text before it was known what may stand there. */
  #tabbed: string | undefined;

  constructor(parts: MentionKeysParts) {
    this.#parts = parts;
  }

  /** The list, while it is there. */
  get open(): ArgumentPopup | undefined {
    const popup = this.#popup;
    return popup !== undefined && popup !== 'loading' && popup.isOpen ? popup : undefined;
  }

  /** The draft may be another one. */
  update(draft: Draft): void {
    const popup = this.#popup;
    if (popup === undefined) {
      if (askedArgument(draft) !== undefined && this.#parts.doors() !== undefined) this.#parts.run(this.#load());
    } else if (popup !== 'loading') popup.update(draft);
  }

  /** False: the key is for others. */
  input({ name }: KeyPress): boolean {
    const popup = this.open;
    if (popup === undefined) return name === 'tab' && this.#isPending && this.#completeLater();
    switch (name) {
      case 'up':
      case 'ctrl+p':
        popup.move(-1);
        return true;
      case 'down':
      case 'ctrl+n':
        popup.move(1);
        return true;
      case 'escape':
        popup.close();
        return true;
      case 'tab':
        return this.#write(popup.completed);
      case 'enter':
        this.#write(popup.taken);
        // It is sent then.
        return false;
      default:
        return false;
    }
  }

  get #isPending(): boolean {
    const popup = this.#popup;
    if (popup !== 'loading') return popup?.isPending === true;
    return askedArgument(this.#parts.stage.composer.draft) !== undefined;
  }

  /** Fast fingers mean the list that comes: the command is not sent half typed. */
  #completeLater(): boolean {
    this.#tabbed = this.#parts.stage.composer.draft.text;
    return true;
  }

  #known(): void {
    const { stage, changed } = this.#parts;
    const isMeant = this.#tabbed === stage.composer.draft.text;
    this.#tabbed = undefined;
    if (isMeant && this.#write(this.open?.completed)) this.update(stage.composer.draft);
    changed();
  }

  #write(text: string | undefined): boolean {
    if (text !== undefined) this.#parts.stage.composer.draft = draftOf(text);
    return text !== undefined;
  }

  async #load(): Promise<void> {
    const { stage, doors, changed } = this.#parts;
    this.#popup = 'loading';
    const { ArgumentPopup } = await import('../views/argument-popup.ts');
    const valuesOf: ArgumentValues = async (asked) => (await doors()?.argumentValues(asked)) ?? [];
    const popup = new ArgumentPopup(valuesOf, () => this.#known());
    this.#popup = popup;
    popup.update(stage.composer.draft);
    changed();
  }
}
