import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, styled } from '../text/style.ts';

/** Too narrow for a margin. */
const leastWidth = 8;

const speaker = 'Capstan: ';

function hasSpeaker({ width }: Look): boolean {
  return width >= 3 * speaker.length;
}

/** The look of what stands behind the margin of an answer. */
export function insideAnswer(look: Look): Look {
  if (look.glyphs === 'words') return hasSpeaker(look) ? { ...look, width: look.width - speaker.length } : look;
  return look.width < leastWidth ? look : { ...look, width: look.width - 2 };
}

/** Rows that were drawn inside, with a mark before the first. `at`: the place of the first of them in the answer. */
export function answerRows(rows: readonly string[], look: Look, at = 0): readonly string[] {
  if (look.glyphs === 'words')
    return at === 0 && hasSpeaker(look) ? rows.map((row, index) => (index === 0 ? `${speaker}${row}` : row)) : rows;
  if (look.width < leastWidth) return rows;
  const mark = drawRow([styled(glyphsOf(look).bullet, dimStyle)], look);
  return rows.map((row, index) => (at + index === 0 ? `${mark} ${row}` : row === '' ? '' : `  ${row}`));
}
