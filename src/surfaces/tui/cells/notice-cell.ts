import type { Outcome } from '../../../protocol/outcome.ts';
import { cleanLines } from '../text/clean.ts';
import { glyphsOf, ownWords } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { badStyle, dimStyle, type Piece, type Row, styled, warnStyle } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, headRows, stateMark } from './frame.ts';

export type NoticeKind = 'info' | 'warning' | 'error';

/** What Capstan has to say: what happened, and below it what to do next. */
export function noticeCell(
  kind: NoticeKind,
  { message, next = '' }: Partial<Pick<Outcome, 'next'>> & Pick<Outcome, 'message'>,
): Cell {
  return cellOfRows((look) => {
    const style = { info: undefined, warning: warnStyle, error: badStyle }[kind];
    const said = linesOf(ownWords(message, look)).map((text): Row => [
      style === undefined ? { text } : { text, style },
    ]);
    const advice = linesOf(ownWords(next, look)).map((text): Row => [styled(text, dimStyle)]);
    return [...said, ...advice].flatMap((line, at) =>
      headRows(look, at === 0 ? noticeMark(kind, look) : { text: ' ' }, line),
    );
  });
}

function noticeMark(kind: NoticeKind, look: Look): Piece {
  const { warning, error } = glyphsOf(look);
  if (kind === 'info') return stateMark('quiet', look);
  return kind === 'warning' ? styled(warning, warnStyle) : styled(error, badStyle);
}

function linesOf(text: string): readonly string[] {
  return text.trim() === '' ? [] : cleanLines(text.trimEnd());
}
