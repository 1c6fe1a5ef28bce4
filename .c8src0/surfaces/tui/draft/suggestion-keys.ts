import { argumentAtCursor } from '../commands/slash-commands.ts';
import type { KeyPress } from '../screen/terminal/terminal-port.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import type { ArgumentPopup } from './argument-popup.ts';
import { mentionAt } from './draft-elements.ts';
import type { DraftServices } from './draft-services.ts';
import { type Draft, draftFromText } from './draft.ts';
import type { MentionPopup } from './mention-popup.ts';

interface ListParts {
  readonly stage: Pick<TuiScreen, 'composer'>;
  doors(): DraftServices | undefined;
  changed(): void;
  run(work: Promise<unknown>): void;
}

/** Handles the keys of a list for the draft. Loads the list when a draft first needs it. */
abstract class ListKeys<List extends ArgumentPopup | MentionPopup> {
  protected readonly parts: ListParts;
  #list: List | 'loading' | undefined;

  constructor(parts: ListParts) {
    this.parts = parts;
  }

  protected abstract isFor(draft: Draft): boolean;
  protected abstract load(doors: DraftServices): Promise<List>;
  /** Handles a key that neither moves in the open list nor closes it. */
  protected abstract chose(list: List, name: string): boolean;

  get loaded(): List | 'loading' | undefined {
    return this.#list;
  }
  get open(): List | undefined {
    return this.#list !== 'loading' && this.#list?.isOpen === true ? this.#list : undefined;
  }

  update(draft: Draft): void {
    if (this.#list !== undefined) return this.#list === 'loading' ? undefined : this.#list.update(draft);
    // Undefined while the engine is loading.
    const doors = this.isFor(draft) ? this.parts.doors() : undefined;
    if (doors !== undefined) this.parts.run(this.#begin(doors));
  }

  /** False: the key is for others. */
  input({ name }: KeyPress): boolean {
    const list = this.open;
    if (list === undefined) return false;
    if (name === 'up' || name === 'ctrl+p') list.move(-1);
    else if (name === 'down' || name === 'ctrl+n') list.move(1);
    else if (name === 'escape') list.close();
    else return this.chose(list, name);
    return true;
  }

  async #begin(doors: DraftServices): Promise<void> {
    this.#list = 'loading';
    const list = await this.load(doors);
    this.#list = list;
    list.update(this.parts.stage.composer.draft);
    this.parts.changed();
  }
}

export class ArgumentKeys extends ListKeys<ArgumentPopup> {
  /** The text of the draft when the user pressed Tab before the values were known. */
  #tabbed: string | undefined;

  /** Remembers an early Tab: it completes once the list is known, so that the command is not sent half typed. */
  override input(key: KeyPress): boolean {
    if (this.open !== undefined) return super.input(key);
    if (key.name !== 'tab' || !this.#isPending) return false;
    this.#tabbed = this.parts.stage.composer.draft.text;
    return true;
  }

  protected override chose(popup: ArgumentPopup, name: string): boolean {
    if (name === 'tab') return this.#write(popup.completed);
    // Enter then sends the draft.
    if (name === 'enter') this.#write(popup.taken);
    return false;
  }

  get #isPending(): boolean {
    return this.loaded === 'loading' ? this.isFor(this.parts.stage.composer.draft) : this.loaded?.isPending === true;
  }

  #known(): void {
    const { stage, changed } = this.parts;
    const isMeant = this.#tabbed === stage.composer.draft.text;
    this.#tabbed = undefined;
    if (isMeant && this.#write(this.open?.completed)) this.update(stage.composer.draft);
    changed();
  }

  #write(text: string | undefined): boolean {
    if (text !== undefined) this.parts.stage.composer.draft = draftFromText(text);
    return text !== undefined;
  }

  protected override isFor(draft: Draft): boolean {
    return argumentAtCursor(draft) !== undefined;
  }

  protected override async load(): Promise<ArgumentPopup> {
    const { ArgumentPopup } = await import('./argument-popup.ts');
    return new ArgumentPopup(
      async (asked) => (await this.parts.doors()?.argumentValues(asked)) ?? [],
      () => this.#known(),
    );
  }
}

/** Keys of the list of files and skills. */
export class MentionKeys extends ListKeys<MentionPopup> {
  protected override chose(popup: MentionPopup, name: string): boolean {
    if (name === 'left' || name === 'right') return popup.switchFilter(name === 'left' ? -1 : 1);
    const { chosen } = popup;
    const doors = this.parts.doors();
    if ((name !== 'tab' && name !== 'enter') || chosen === undefined || doors === undefined) return false;
    const { composer } = this.parts.stage;
    composer.draft = popup.insert(composer.draft, chosen, doors);
    if (chosen.item.kind === 'file') doors.named(chosen.item.name);
    return true;
  }

  protected override isFor(draft: Draft): boolean {
    return mentionAt(draft) !== undefined;
  }

  protected override async load(doors: DraftServices): Promise<MentionPopup> {
    const { MentionPopup } = await import('./mention-popup.ts');
    return new MentionPopup(doors, this.parts.changed);
  }
}
