import type { Draft } from '../composer/draft.ts';
import { mentionAt } from '../composer/mention-token.ts';
import type { KeyPress } from '../screen/terminal-input.ts';
import type { MentionPopup } from '../views/mention-popup.ts';
import type { DraftDoors } from './draft-doors.ts';
import { LoadedList } from './loaded-list.ts';
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
  readonly #list: LoadedList<MentionPopup>;

  constructor(parts: MentionKeysParts) {
    this.#parts = parts;
    this.#list = new LoadedList({
      draft: () => parts.stage.composer.draft,
      doorsFor: (draft) => (mentionAt(draft) === undefined ? undefined : parts.doors()),
      async load(doors) {
        const { MentionPopup } = await import('../views/mention-popup.ts');
        return new MentionPopup(doors, parts.changed);
      },
      changed: parts.changed,
      run: parts.run,
    });
  }

  /** The list, while it is there. */
  get open(): MentionPopup | undefined {
    return this.#list.open;
  }

  /** The draft may be another one. */
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
