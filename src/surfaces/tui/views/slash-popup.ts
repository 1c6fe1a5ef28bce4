import type { Draft } from '../composer/draft.ts';
import type { Look } from '../text/look.ts';
import { popupRows } from './popup-rows.ts';
import { matchingSlash, type SlashCommand } from './slash-table.ts';

/** The list of commands below a draft that begins with a slash. */
export class SlashPopup {
  #at = 0;
  /** The name for which the user closed it. */
  #closedFor: string | undefined;
  #typed: string | undefined;
  /** What the conversation can do; absent: all commands. */
  only: readonly string[] | undefined;
  /** Commands of the user's own. */
  more: readonly SlashCommand[] = [];

  /** What the draft may become. None: there is no list. */
  commands({ text, cursor }: Draft): readonly SlashCommand[] {
    const [, typed] = /^\/([\w:.-]*)$/.exec(text) ?? [];
    if (typed === undefined || cursor === 0) {
      this.#typed = undefined;
      this.#closedFor = undefined;
      return [];
    }
    if (typed !== this.#typed) {
      this.#at = 0;
      this.#typed = typed;
    }
    if (typed === this.#closedFor) return [];
    this.#closedFor = undefined;
    const { only } = this;
    return matchingSlash(typed, this.more).filter(({ name }) => only === undefined || only.includes(name));
  }

  chosen(draft: Draft): SlashCommand | undefined {
    return this.commands(draft)[this.#at];
  }

  move(draft: Draft, by: 1 | -1): void {
    const { length } = this.commands(draft);
    this.#at = length === 0 ? 0 : (this.#at + by + length) % length;
  }

  /** Until the name is another one. */
  closeFor(draft: Draft): void {
    this.commands(draft);
    this.#closedFor = this.#typed;
  }

  rows(draft: Draft, look: Look, room: number): readonly string[] {
    const items = this.commands(draft).map((command) => ({ name: nameOf(command), about: command.does }));
    return popupRows(items, { at: this.#at, more: 'up and down, or type a name', room }, look);
  }
}

function nameOf({ name, takes }: SlashCommand): string {
  return takes === undefined ? `/${name}` : `/${name} ${takes}`;
}
