import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, styled } from '../text/style.ts';

/** Too narrow for a margin. */
const leastWidth = 8;

/** The look of what stands behind the margin of an answer. */
export function insideAnswer(look: Look): Look {
  return look.width < leastWidth ? look : { ...look, width: look.width - 2 };
}

/** Rows that were drawn inside, with a mark before the first. `at`: the place of the first of them in the answer. */
export function answerRows(rows: readonly string[], look: Look, at = 0): readonly string[] {
  if (look.width < leastWidth) return rows;
  const mark = drawRow([styled(glyphsOf(look).bullet, dimStyle)], look);
  return rows.map((row, index) => (at + index === 0 ? `${mark} ${row}` : row === '' ? '' : `  ${row}`));
}
