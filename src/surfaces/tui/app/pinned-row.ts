import { cleanLine } from '../text/clean.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow, filledRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, type Row, styled } from '../text/style.ts';

/** The message that the rows below it answer, in one row. */
export function pinnedRow(prompt: string, look: Look): string {
  const row: Row = [styled(`${glyphsOf(look).prompt} ${cleanLine(prompt.slice(0, 1000))}`, dimStyle)];
  return drawRow(filledRow(cutRow(row, look.width, look), look.width, { back: 'tint' }), look);
}
