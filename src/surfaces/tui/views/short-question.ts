import type { Question } from '../../../protocol/question.ts';
import { exactLine } from '../../terminal/exact-text.ts';
import { keyHint } from '../keys/key-map.ts';
import { columnsOf } from '../../../base/columns.ts';
import { beginningOfRow, cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { AskedRows } from './asked-rows.ts';

/** From so many rows on, the last one says how much is left out. */
const fewestSaid = 2;

interface ShortQuestion {
  readonly rows: readonly string[];
  /** `core`: what a yes would run or change is in sight, and a row says that there is more. */
  readonly shows: 'all' | 'core' | 'part';
  readonly isSaid: boolean;
}

/**
 * What is asked, in so many rows. Where the whole of it does not fit, a command or the paths of a patch come first, then
 * why Capstan asks, and the last row says how much is left out.
 */
export function shortQuestion(question: Question, asked: AskedRows, look: Look, room: number): ShortQuestion {
  const { all, core, diff } = asked;
  if (all.length <= room) return { rows: all, shows: 'all', isSaid: true };
  const hasStart = question.argv !== undefined || diff.length > 0;
  if (room < fewestSaid) return { rows: core.slice(0, room), shows: 'part', isSaid: false };
  const space = room - 1;
  const shows = core.length <= space ? 'core' : 'part';
  if (shows === 'part' && !hasStart) {
    const above = moreRow(all.length - space, ' above', look);
    return { rows: [above, ...core.slice(-space)], shows, isSaid: true };
  }
  const why = question.argv === undefined || question.host !== undefined ? [] : reasonRows(question.reason, look);
  // The command has its rows before the reason; of one that is cut anyway, the reason takes a row.
  const whyRows = shows === 'core' ? space - core.length : space > 2 ? 1 : 0;
  const reason = cutRows(why, whyRows, look);
  const begun = [...core.slice(0, space - reason.length), ...reason];
  const shown = [...begun, ...diff.slice(0, space - begun.length)];
  const isTitled = hasStart && shown.length < space;
  const rows = isTitled ? [...all.slice(0, 1), ...shown] : shown;
  return { rows: [...rows, moreRow(all.length - rows.length, '', look)], shows, isSaid: true };
}

function reasonRows(reason: string | undefined, look: Look): readonly Row[] {
  if (reason === undefined) return [];
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
