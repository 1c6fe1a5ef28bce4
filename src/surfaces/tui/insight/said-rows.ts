import { cleanLine } from '../text/clean.ts';
import { ownWords } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/** Sentences above a list, each line in rows that fit, and an empty row below them. `hang`: of the rows of a line. */
export function saidRows(lines: readonly string[], look: Look, hang = 0): readonly Row[] {
  const rest = [plain(' '.repeat(hang))];
  const rows = lines
    .flatMap((text) => text.split('\n'))
    .flatMap((line) =>
      wrapRow([styled(ownWords(cleanLine(line), look), dimStyle)], { width: look.width, first: [], rest }),
    );
  return rows.length === 0 ? [] : [...rows, []];
}
