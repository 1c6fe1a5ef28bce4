import type { Draft } from '../composer/draft.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import { matchingSlash, type SlashCommand } from './slash-table.ts';

const mostRows = 8;

/** The list of commands below a draft that begins with a slash. */
export class SlashPopup {
  #at = 0;
  /** The name for which the user closed it. */
  #closedFor: string | undefined;
  #typed: string | undefined;

  /** What the draft may become. None: there is no list. */
  commands({ text, cursor }: Draft): readonly SlashCommand[] {
    const [, typed] = /^\/([\w-]*)$/.exec(text) ?? [];
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
    return matchingSlash(typed);
  }

  chosen(draft: Draft): SlashCommand | undefined {
    return this.commands(draft)[this.#at];
  }

  move(draft: Draft, by: 1 | -1): void {
    const { length } = this.commands(draft);
    this.#at = length === 0 ? 0 : (this.#at + by + length) % length;
  }

  close(): void {
    this.#closedFor = this.#typed;
  }

  rows(draft: Draft, look: Look): readonly string[] {
    const commands = this.commands(draft);
    // A screen reader says what the cursor is at, and not the whole list with every key.
    const most = look.glyphs === 'words' ? 1 : mostRows;
    const from = Math.max(0, Math.min(this.#at - most + 1, commands.length - most));
    const wide = Math.max(0, ...commands.map((command) => nameOf(command).length));
    return commands.slice(from, from + most).map((command, index) => {
      const isChosen = from + index === this.#at;
      const name = nameOf(command).padEnd(wide + 2);
      const row: Row = [
        plain('  '),
        styled(name, isChosen ? { ...accentStyle, ...boldStyle } : {}),
        styled(command.does, isChosen ? accentStyle : dimStyle),
      ];
      return drawRow(cutRow(row, look.width, look), look);
    });
  }
}

function nameOf({ name, takes }: SlashCommand): string {
  return takes === undefined ? `/${name}` : `/${name} ${takes}`;
}
