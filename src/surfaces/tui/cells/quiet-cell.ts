import { cleanLine, cleanLines } from '../text/clean.ts';
import { dimStyle, styled, warnStyle } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, headRows, stateMark, underRows } from './frame.ts';
import { glyphsOf, ownWords } from '../text/glyphs.ts';

export interface QuietLine {
  readonly line: string;
  /** What the line opens to. */
  readonly details?: string;
  /** Absent: `info`. */
  readonly kind?: 'info' | 'warning';
}

/** News that takes one line, and has more to say in the transcript. */
export function quietCell({ line, details = '', kind = 'info' }: QuietLine): Cell {
  return cellOfRows((look) => {
    const [mark, style] =
      kind === 'info' ? [stateMark('quiet', look), dimStyle] : [styled(glyphsOf(look).warning, warnStyle), warnStyle];
    const text = styled(ownWords(cleanLine(line), look), style);
    if (look.details === 'folded') return headRows(look, mark, [text]);
    const lines = cleanLines(ownWords(details, look)).filter((each) => each.trim() !== '');
    return [
      ...headRows(look, mark, [text]),
      ...underRows(
        look,
        lines.map((each) => [styled(each, dimStyle)]),
      ),
    ];
  });
}
