import { columnsOf } from '../../../base/columns.ts';
import { cleanLine } from '../text/clean.ts';
import { cutRow, cutTo } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';

const mostRows = 8;
/** Columns that names may always have. */
const leastNames = 16;

export interface PopupItem {
  readonly name: string;
  readonly about: string;
}

export interface PopupForm {
  /** The one that is chosen; undefined: none. */
  readonly at: number | undefined;
  /** What to do to see more of them. */
  readonly more: string;
  /** For so many rows, at least one. */
  readonly room: number;
}

/** The rows of a list below a draft: as many as fit, with the chosen one in sight. */
export function popupRows(items: readonly PopupItem[], { at, more, room }: PopupForm, look: Look): readonly string[] {
  // A screen reader says what the cursor is at, and not the whole list with every key.
  const usual = look.glyphs === 'words' ? 1 : mostRows;
  const isAll = items.length <= Math.min(usual, room);
  // The row that says how many more there are needs one.
  const most = isAll ? usual : Math.max(1, Math.min(usual, room - 1));
  const from = Math.max(0, Math.min((at ?? 0) - most + 1, items.length - most));
  const names = items.map(({ name }) => cleanLine(name));
  const wide = Math.min(
    Math.max(0, ...names.map((name) => columnsOf(name))),
    Math.max(leastNames, Math.floor(look.width * 0.4)),
  );
  const rows = items.slice(from, from + most).map(({ about }, index): Row => {
    const isChosen = from + index === at;
    const name = cutTo(names[from + index]!, wide, look);
    return [
      styled(isChosen ? `${glyphsOf(look).prompt} ` : '  ', accentStyle),
      styled(name, isChosen ? { ...accentStyle, ...boldStyle } : {}),
      plain(' '.repeat(wide - columnsOf(name) + 2)),
      styled(cleanLine(about), isChosen ? accentStyle : dimStyle),
    ];
  });
  const hidden = items.length - rows.length;
  const rest: Row = [styled(`  ${glyphsOf(look).ellipsis} ${hidden} more: ${more}`, dimStyle)];
  return [...rows, ...(hidden === 0 || rows.length >= room ? [] : [rest])].map((row) =>
    drawRow(cutRow(row, look.width, look), look),
  );
}
