import type { Draft } from '../composer/draft.ts';
import { cleanLine } from '../text/clean.ts';
import { columnsOf } from '../text/columns.ts';
import { cutRow, cutTo } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import { matchingSlash, type SlashCommand } from './slash-table.ts';

const mostRows = 8;
/** Columns that names may always have. */
const leastNames = 16;

/** The list of commands below a draft that begins with a slash. */
export class SlashPopup {
  #at = 0;
  /** The name for which the user closed it. */
  #closedFor: string | undefined;
  #typed: string | undefined;
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
    return matchingSlash(typed, this.more);
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
    const wide = Math.min(
      Math.max(0, ...commands.map((command) => columnsOf(nameOf(command)))),
      Math.max(leastNames, Math.floor(look.width * 0.4)),
    );
    const rows = commands.slice(from, from + most).map((command, index): Row => {
      const isChosen = from + index === this.#at;
      const name = cutTo(nameOf(command), wide, look);
      return [
        plain('  '),
        styled(name, isChosen ? { ...accentStyle, ...boldStyle } : {}),
        plain(' '.repeat(wide - columnsOf(name) + 2)),
        styled(cleanLine(command.does), isChosen ? accentStyle : dimStyle),
      ];
    });
    const hidden = commands.length - rows.length;
    const more: Row = [styled(`  ${glyphsOf(look).ellipsis} ${hidden} more: up and down, or type a name`, dimStyle)];
    return [...rows, ...(hidden === 0 ? [] : [more])].map((row) => drawRow(cutRow(row, look.width, look), look));
  }
}

function nameOf({ name, takes }: SlashCommand): string {
  return cleanLine(takes === undefined ? `/${name}` : `/${name} ${takes}`);
}
