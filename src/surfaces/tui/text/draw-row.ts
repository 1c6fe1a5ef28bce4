import { beginningOfRow, rowColumns } from './cut.ts';
import type { Look } from './look.ts';
import { sgrCodes } from './sgr.ts';
import { restyled, type Row, type Style } from './style.ts';

const reset = '\u001B[0m';

/** A row as a terminal gets it: at most `width` columns, and no style is left open at its end. */
export function drawRow(row: Row, look: Look): string {
  let drawn = '';
  let open = '';
  let isBare = true;
  for (const { text, style } of beginningOfRow(row, look.width)) {
    if (text === '') continue;
    const codes = style === undefined ? '' : sgrCodes(style, look);
    if (codes !== open) {
      isBare = false;
      drawn += codes === '' ? reset : `\u001B[${open === '' ? '' : '0;'}${codes}m`;
      open = codes;
    }
    drawn += text;
  }
  if (isBare) return drawn.trim() === '' ? '' : drawn;
  return open === '' ? drawn : drawn + reset;
}

export function drawRows(rows: readonly Row[], look: Look): readonly string[] {
  return rows.map((row) => drawRow(row, look));
}

/** The row with blanks up to a column, in a style under its own. */
export function filledRow(row: Row, width: number, under: Style): Row {
  const blanks = width - rowColumns(row);
  const all = blanks > 0 ? [...row, { text: ' '.repeat(blanks) }] : row;
  return restyled(all, under);
}
