import { type Draft, draftOf } from '../composer/draft.ts';
import type { KeyPress } from '../screen/terminal-input.ts';
import type { ArgumentPopup, ArgumentValues } from '../views/argument-popup.ts';
import { askedArgument } from '../views/asked-argument.ts';
import { LoadedList } from './loaded-list.ts';
import type { MentionKeysParts } from './mention-keys.ts';

/** Keys of the list of arguments. It is loaded when the first command with one is typed. */
export class ArgumentKeys {
  readonly #parts: MentionKeysParts;
  readonly #list: LoadedList<ArgumentPopup>;
  /** Tab was pressed behind this text before it was known what may stand there. */
  #tabbed: string | undefined;

  constructor(parts: MentionKeysParts) {
    this.#parts = parts;
    this.#list = new LoadedList({
      draft: () => parts.stage.composer.draft,
      doorsFor: (draft) => (askedArgument(draft) === undefined ? undefined : parts.doors()),
      load: () => this.#load(),
      changed: parts.changed,
      run: parts.run,
    });
  }

  /** The list, while it is there. */
  get open(): ArgumentPopup | undefined {
    return this.#list.open;
  }

  /** The draft may be another one. */
  update(draft: Draft): void {
    this.#list.update(draft);
  }

  /** False: the key is for others. */
  input({ name }: KeyPress): boolean {
    const popup = this.open;
    if (popup === undefined) return name === 'tab' && this.#isPending && this.#completeLater();
    if (this.#list.input(name)) return true;
    if (name === 'tab') return this.#write(popup.completed);
    // It is sent then.
    if (name === 'enter') this.#write(popup.taken);
    return false;
  }

  get #isPending(): boolean {
    if (!this.#list.isLoading) return this.#list.loaded?.isPending === true;
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

  async #load(): Promise<ArgumentPopup> {
    const { ArgumentPopup } = await import('../views/argument-popup.ts');
    const valuesOf: ArgumentValues = async (asked) => (await this.#parts.doors()?.argumentValues(asked)) ?? [];
    return new ArgumentPopup(valuesOf, () => this.#known());
  }
}
