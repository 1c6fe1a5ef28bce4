import { beginningOfRow, rowColumns } from './cut.ts';
import type { Look } from './look.ts';
import { sgrCodes } from './sgr.ts';
import type { Row, Style } from './style.ts';

const reset = '\u001B[0m';

/** A row as a terminal gets it: at most `width` columns, and no style is left open at its end. */
export function drawRow(row: Row, look: Look): string {
  if (row.every(({ text, style }) => style === undefined && text.trim() === '')) return '';
  let [drawn, open] = ['', ''];
  for (const { text, style } of beginningOfRow(row, look.width)) {
    const codes = style === undefined ? '' : sgrCodes(style, look);
    if (codes !== open) {
      drawn += codes === '' ? reset : `\u001B[${open === '' ? '' : '0;'}${codes}m`;
      open = codes;
    }
    drawn += text;
  }
  return open === '' ? drawn : drawn + reset;
}

export function drawRows(rows: readonly Row[], look: Look): readonly string[] {
  return rows.map((row) => drawRow(row, look));
}

/** The row with blanks up to a column, in a style under its own. */
export function filledRow(row: Row, width: number, under: Style): Row {
  const blanks = width - rowColumns(row);
  const all = blanks > 0 ? [...row, { text: ' '.repeat(blanks) }] : row;
  return all.map(({ text, style }) => ({ text, style: { ...under, ...style } }));
}
