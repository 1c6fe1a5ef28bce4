import type { Question } from '../../../protocol/question.ts';
import { askedCommand } from '../../exec/approvals/question-lines.ts';
import { paint } from '../../terminal/look.ts';
import { exactLine } from '../../terminal/exact-text.ts';
import { keyHint } from '../keys/key-map.ts';
import { columnsOf } from '../text/columns.ts';
import { beginningOfRow, cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { paintedRows } from '../text/painted-rows.ts';
import { dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/**
 * What is asked, in so many rows. Where the whole of it does not fit, a command comes first, then why Capstan asks, and
 * the last row says how much is left out.
 */
export function shortQuestion(
  question: Question,
  whole: readonly string[],
  look: Look,
  room: number,
): readonly string[] {
  if (whole.length <= room) return whole;
  const { argv } = question;
  const space = Math.max(0, room - 1);
  if (argv === undefined) {
    const above = moreRow(whole.length - space, ' above', look);
    return space === 0 ? [above] : [above, ...whole.slice(-space)];
  }
  const command = paintedRows(paint(askedCommand(argv, { width: look.width }), true), look).slice(0, -1);
  if (room < 2) return command.slice(0, room);
  // The command needs its rows first; the reason has at least one.
  const why = question.reason === undefined || space < 2 ? [] : reasonRows(question.reason, look);
  const whyRows = Math.max(Math.min(1, why.length), space - command.length);
  const shown = [...command.slice(0, space - Math.min(why.length, whyRows)), ...cutRows(why, whyRows, look)];
  const title = whole.slice(0, 1);
  const rows = shown.length < space ? [...title, ...shown] : shown;
  return [...rows, moreRow(whole.length - rows.length, '', look)];
}

function reasonRows(reason: string, look: Look): readonly Row[] {
  return wrapRow([plain(exactLine(reason))], { width: look.width, first: [plain('  ')] });
}

/** So many of the rows; the last one says that there was more. */
function cutRows(rows: readonly Row[], most: number, look: Look): readonly string[] {
  const { ellipsis } = glyphsOf(look);
  const kept = rows.slice(0, most);
  const isCut = kept.length < rows.length;
  return kept.map((row, at) => {
    const last = isCut && at === kept.length - 1;
    const room = look.width - (last ? ellipsis.length : 0);
    return drawRow(last ? [...beginningOfRow(row, room), plain(ellipsis)] : row, look);
  });
}

/** The key that shows all is never cut. */
function moreRow(left: number, where: string, look: Look): string {
  const { ellipsis } = glyphsOf(look);
  const all = keyHint(look, 'approval.open_fullscreen', (key) => `: ${key} shows all`);
  const key = keyHint(look, 'approval.open_fullscreen', (name) => `: ${name}`);
  const texts = [`  ${ellipsis} ${left} more rows${where}${all}`, `${ellipsis} ${left} more${key}`];
  const text = texts.find((each) => columnsOf(each) <= look.width) ?? `${ellipsis}${key}`;
  return drawRow(cutRow([styled(text, dimStyle)], look.width, look), look);
}
