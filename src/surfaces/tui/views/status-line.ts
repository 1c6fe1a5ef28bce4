import { defined } from '../../../protocol/defined.ts';
import { cleanLine } from '../text/clean.ts';
import { cutRow, rowColumns } from '../text/cut.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { badStyle, dimStyle, type Piece, plain, type Row, styled, warnStyle } from '../text/style.ts';
import { permissionMode } from './permission-mode.ts';
import { type StatusFacts, type StatusId, type StatusItem, statusItems, withNext } from './status-items.ts';

export interface StatusLine {
  readonly items: readonly StatusId[];
  /** False: only what is running out has a colour, and the mode. */
  readonly hasColours: boolean;
}

/**
 * Below the composer: what is in force and what is left, and at the right the mode, which is always in sight. Items that
 * do not fit are left out.
 */
export function statusRow(facts: StatusFacts, { items, hasColours }: StatusLine, look: Look): Row {
  const { dot } = glyphsOf(look);
  const mode = shownMode(facts);
  const modeColumns = rowColumns([mode]);
  // Blanks at both ends and between; a mode that is too long for that is all there is.
  const room = look.width - modeColumns - 4;
  if (room < 1) return cutRow([mode], look.width, look);
  const row: Piece[] = [];
  for (const id of items) {
    const { short }: StatusItem = statusItems[id];
    const piece = pieceOf(id, { facts, hasColours }, look);
    if (piece === undefined) continue;
    const forms = [piece, ...(short === undefined ? [] : [{ ...piece, text: short(facts) }])];
    const added = forms
      .map((form) => (row.length === 0 ? [form] : [styled(` ${dot} `, dimStyle), form]))
      .find((pieces) => rowColumns([...row, ...pieces]) <= room);
    if (added !== undefined) row.push(...added);
    else if (short !== undefined) break;
  }
  const blanks = ' '.repeat(Math.max(2, look.width - modeColumns - rowColumns(row) - 3));
  return [plain('  '), ...row, plain(blanks), mode];
}

/** The mode of the turn that runs; the one that was chosen for the next turn stands beside it. */
function shownMode({ settings, next }: StatusFacts): Piece {
  const { style } = permissionMode(settings);
  return { text: withNext({ settings, next }, (of) => permissionMode(of).text), ...defined({ style }) };
}

function pieceOf(
  id: StatusId,
  { facts, hasColours }: { readonly facts: StatusFacts; readonly hasColours: boolean },
  look: Look,
): Piece | undefined {
  const item: StatusItem = statusItems[id];
  const text = cleanLine(item.text(facts, look) ?? '').trim();
  if (text === '') return undefined;
  const style = item.style?.(facts) ?? dimStyle;
  const isAlarm = style === badStyle || style === warnStyle;
  return styled(text, hasColours || isAlarm ? style : dimStyle);
}
