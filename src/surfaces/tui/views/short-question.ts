import type { Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { askedCommandLines } from '../../exec/approvals/question-lines.ts';
import { paint } from '../../terminal/look.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import { keyHint } from '../keys/key-map.ts';
import { columnsOf } from '../text/columns.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { paintedRows } from '../text/painted-rows.ts';
import { dimStyle, plain, styled } from '../text/style.ts';
import { askedRows } from './asked-rows.ts';

/**
 * What is asked, in so many rows. Where not all of it fits, a command comes first, then why Capstan asks, and the last
 * row says how much is left out.
 */
export function shortQuestion(
  question: Question,
  item: TurnItem | undefined,
  look: Look,
  room: number,
): readonly string[] {
  const whole = askedRows(question, item, look);
  if (whole.length <= room) return whole;
  const { argv } = question;
  const space = Math.max(0, room - 1);
  if (argv === undefined) {
    const above = moreRow(whole.length - space, ' above', look);
    return space === 0 ? [above] : [above, ...whole.slice(-space)];
  }
  const command = paintedRows(paint(askedCommandLines(argv, { width: look.width }), true), look).slice(0, -1);
  if (room < 2) return command.slice(0, room);
  const why = question.reason === undefined || space < 2 ? [] : [oneRow(question.reason, look)];
  const shown = [...command.slice(0, space - why.length), ...why];
  const title = whole.slice(0, 1);
  const rows = shown.length < space ? [...title, ...shown] : shown;
  return [...rows, moreRow(whole.length - rows.length, '', look)];
}

function oneRow(text: string, look: Look): string {
  return drawRow(cutRow([plain(`  ${visibleLine(text)}`)], look.width, look), look);
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
