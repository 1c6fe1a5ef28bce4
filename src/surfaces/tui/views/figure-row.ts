import { columnsOf } from '../../../base/columns.ts';
import { cutRow, rowColumns } from '../text/cut.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, plain, type Row, styled } from '../text/style.ts';

export interface Figure {
  readonly text: string;
  /** The columns of all figures of its kind: they stand below each other. */
  readonly width: number;
}

/**
 * Words at the left, figures at the right. On a narrow screen the last figures go first, so that the words keep
 * two fifths of the row.
 */
export function figureRow(words: Row, figures: readonly Figure[], look: Look): Row {
  const shown = [...figures];
  const taken = (): number => shown.reduce((sum, { width }) => sum + width + 2, 0);
  while (shown.length > 1 && taken() > look.width * 0.6) shown.pop();
  const room = look.width - taken();
  if (room < 4) return words;
  const left = cutRow(words, room, look);
  const blanks = plain(' '.repeat(Math.max(0, room - rowColumns(left))));
  // Nothing stands behind the last figure, not even blanks.
  const last = shown.findLastIndex(({ text }) => text !== '');
  if (last < 0) return left;
  const right = shown.slice(0, last + 1).map(({ text, width }) => styled(`  ${padded(text, width)}`, dimStyle));
  return [...left, blanks, ...right];
}

function padded(text: string, width: number): string {
  return `${' '.repeat(Math.max(0, width - columnsOf(text)))}${text}`;
}
