import { countColumns } from '../../../base/text-columns.ts';
import type { Draft } from '../draft/draft.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { drawCutRows, cursorSign, listRowStyle } from '../pages/list-parts.ts';
import { cutLine } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { accentStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { matchingSlash, type SlashCommand } from './slash-commands.ts';

export class SlashPopup {
  #at = 0;
  #closedFor: string | undefined;
  #typed: string | undefined;
  only: readonly string[] | undefined;
  more: readonly SlashCommand[] = [];

  /** The commands that match the draft; empty if there is no list to show. */
  commands({ text, cursor }: Draft): readonly SlashCommand[] {
    const [, typed] = /^\/([\w:.-]*)$/.exec(text) ?? [];
    const shown = cursor === 0 ? undefined : typed;
    if (shown !== this.#typed) this.#at = 0;
    this.#typed = shown;
    if (shown !== undefined && shown === this.#closedFor) return [];
    this.#closedFor = undefined;
    if (shown === undefined) return [];
    const { only } = this;
    return matchingSlash(shown, this.more).filter(({ name }) => only === undefined || only.includes(name));
  }

  chosen(draft: Draft): SlashCommand | undefined {
    return this.commands(draft)[this.#at];
  }

  move(draft: Draft, by: 1 | -1): void {
    const { length } = this.commands(draft);
    this.#at = length === 0 ? 0 : (this.#at + by + length) % length;
  }

  /** Closes the list until the name changes. */
  closeFor(draft: Draft): void {
    this.commands(draft);
    this.#closedFor = this.#typed;
  }

  rows(draft: Draft, look: Look, room: number): readonly string[] {
    const items = this.commands(draft).map((command) => ({ name: nameOf(command), about: command.does }));
    return popupRows(items, { at: this.#at, more: 'up and down, or type a name', room }, look);
  }
}

const nameOf = ({ name, takes }: SlashCommand): string => (takes === undefined ? `/${name}` : `/${name} ${takes}`);
const mostRows = 8;
const leastNames = 16;

export function popupRows(
  items: readonly { readonly name: string; readonly about: string }[],
  { at, more, room }: { readonly at: number | undefined; readonly more: string; readonly room: number },
  look: Look,
): readonly string[] {
  // A screen reader announces the selected row only, not the whole list on every key.
  const usual = look.glyphs === 'words' ? 1 : mostRows;
  const isAll = items.length <= Math.min(usual, room);
  // Keep one row for the number of hidden items.
  const most = isAll ? usual : Math.max(1, Math.min(usual, room - 1));
  const from = Math.max(0, Math.min((at ?? 0) - most + 1, items.length - most));
  const names = items.map(({ name }) => cleanLine(name));
  const widest = Math.max(0, ...names.map(countColumns));
  const wide = Math.min(widest, Math.max(leastNames, Math.floor(look.width * 0.4)));
  const rows = items.slice(from, from + most).map(({ about }, index): Row => {
    const isChosen = from + index === at;
    const name = cutLine(names[from + index]!, wide, look);
    return [
      cursorSign(isChosen, look),
      styled(name, listRowStyle(isChosen)),
      plain(' '.repeat(wide - countColumns(name) + 2)),
      styled(cleanLine(about), isChosen ? accentStyle : dimStyle),
    ];
  });
  const hidden = items.length - rows.length;
  const rest: Row = [styled(`  ${glyphsOf(look).ellipsis} ${hidden} more: ${more}`, dimStyle)];
  return drawCutRows(hidden === 0 || rows.length >= room ? rows : [...rows, rest], look);
}
