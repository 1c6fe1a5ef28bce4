import { askedArgument } from '../commands/slash-commands.ts';
import type { KeyPress } from '../screen/terminal/terminal-port.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import type { ArgumentPopup, ArgumentValues } from './argument-popup.ts';
import { mentionAt } from './draft-elements.ts';
import type { DraftServices } from './draft-services.ts';
import { type Draft, draftFromText } from './draft.ts';
import type { MentionPopup } from './mention-popup.ts';

/** Keys of the list of arguments, which is loaded when the first command with an argument is typed. */
export class ArgumentKeys {
  readonly #parts: MentionKeysParts;
  readonly #list: LoadedList<ArgumentPopup>;
  /** The text at which Tab was pressed before its values were known. */
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

  get open(): ArgumentPopup | undefined {
    return this.#list.open;
  }

  update(draft: Draft): void {
    this.#list.update(draft);
  }

  /** False: the key is for others. */
  input({ name }: KeyPress): boolean {
    const popup = this.open;
    if (popup === undefined) return name === 'tab' && this.#isPending && this.#completeLater();
    if (this.#list.input(name)) return true;
    if (name === 'tab') return this.#write(popup.completed);
    // Enter then sends the draft.
    if (name === 'enter') this.#write(popup.taken);
    return false;
  }

  get #isPending(): boolean {
    if (!this.#list.isLoading) return this.#list.loaded?.isPending === true;
    return askedArgument(this.#parts.stage.composer.draft) !== undefined;
  }

  /** Remembers an early Tab: it completes once the list is known, so that the command is not sent half typed. */
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
    if (text !== undefined) this.#parts.stage.composer.draft = draftFromText(text);
    return text !== undefined;
  }

  async #load(): Promise<ArgumentPopup> {
    const { ArgumentPopup } = await import('./argument-popup.ts');
    const valuesOf: ArgumentValues = async (asked) => (await this.#parts.doors()?.argumentValues(asked)) ?? [];
    return new ArgumentPopup(valuesOf, () => this.#known());
  }
}

export interface DraftList {
  readonly isOpen: boolean;
  update(draft: Draft): void;
  move(by: 1 | -1): void;
  close(): void;
}

interface LoadedListParts<List extends DraftList> {
  draft(): Draft;
  /** Services for the list. Undefined: the draft has nothing for it, or the engine is still loading. */
  doorsFor(draft: Draft): DraftServices | undefined;
  load(doors: DraftServices): Promise<List>;
  changed(): void;
  run(work: Promise<unknown>): void;
}

class LoadedList<List extends DraftList> {
  readonly #parts: LoadedListParts<List>;
  #list: List | 'loading' | undefined;

  constructor(parts: LoadedListParts<List>) {
    this.#parts = parts;
  }

  get isLoading(): boolean {
    return this.#list === 'loading';
  }

  get loaded(): List | undefined {
    return this.#list === 'loading' ? undefined : this.#list;
  }

  get open(): List | undefined {
    return this.loaded?.isOpen === true ? this.loaded : undefined;
  }

  update(draft: Draft): void {
    if (this.#list !== undefined) return this.loaded?.update(draft);
    const doors = this.#parts.doorsFor(draft);
    if (doors !== undefined) this.#parts.run(this.#load(doors));
  }

  input(name: string): boolean {
    const list = this.open;
    if (list === undefined) return false;
    if (name === 'up' || name === 'ctrl+p') list.move(-1);
    else if (name === 'down' || name === 'ctrl+n') list.move(1);
    else if (name === 'escape') list.close();
    else return false;
    return true;
  }

  async #load(doors: DraftServices): Promise<void> {
    const { load, draft, changed } = this.#parts;
    this.#list = 'loading';
    const list = await load(doors);
    this.#list = list;
    list.update(draft());
    changed();
  }
}

interface MentionKeysParts {
  readonly stage: Pick<TuiScreen, 'composer'>;
  doors(): DraftServices | undefined;
  changed(): void;
  run(work: Promise<unknown>): void;
}

/** Keys of the list of files and skills, which is loaded when the first mention is typed. */
export class MentionKeys {
  readonly #parts: MentionKeysParts;
  readonly #list: LoadedList<MentionPopup>;

  constructor(parts: MentionKeysParts) {
    this.#parts = parts;
    this.#list = new LoadedList({
      draft: () => parts.stage.composer.draft,
      doorsFor: (draft) => (mentionAt(draft) === undefined ? undefined : parts.doors()),
      async load(doors) {
        const { MentionPopup } = await import('./mention-popup.ts');
        return new MentionPopup(doors, parts.changed);
      },
      changed: parts.changed,
      run: parts.run,
    });
  }

  get open(): MentionPopup | undefined {
    return this.#list.open;
  }

  update(draft: Draft): void {
    this.#list.update(draft);
  }

  /** False: the key is for others. */
  input({ name }: KeyPress): boolean {
    const popup = this.open;
    if (popup === undefined) return false;
    if (this.#list.input(name)) return true;
    if (name === 'left' || name === 'right') return popup.switchFilter(name === 'left' ? -1 : 1);
    return (name === 'tab' || name === 'enter') && this.#choose(popup);
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
