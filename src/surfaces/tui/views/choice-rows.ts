import type { Choice } from '../../exec/approvals/choices.ts';
import { exactLine } from '../../terminal/exact-text.ts';
import { columnsOf } from '../../../base/columns.ts';
import { cutRow } from '../text/cut.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { rowsAround } from '../text/rows-around.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

interface AnswerList {
  readonly choices: readonly Choice[];
  /** Below 0: none is chosen. */
  readonly at: number;
  /** A key as it is bound. */
  bound(key: string): string;
}

/** The answers with their keys, wrapped: no key is cut. */
export function choiceRows(list: AnswerList, look: Look): readonly Row[] {
  return listed(list, look, ({ first, row }) =>
    wrapRow(row, { width: look.width, first, rest: [plain('     ')] }),
  ).flat();
}

/** Each answer in one row. Where not even all of these fit, the one that is chosen is among those in sight. */
export function shortChoiceRows(list: AnswerList, look: Look, most: number): readonly Row[] {
  const groups = listed(list, look, ({ first, row }) => [oneAnswer(first, row, look)]);
  const chosen = groups.slice(0, list.at + 1).flat().length - 1;
  return rowsAround(groups.flat(), Math.max(0, chosen), most);
}

interface AnswerRow {
  readonly first: Row;
  readonly row: Row;
}

function listed(
  { choices, at: chosenAt, bound }: AnswerList,
  look: Look,
  rowsOf: (answer: AnswerRow) => readonly Row[],
): readonly (readonly Row[])[] {
  const { prompt } = glyphsOf(look);
  const own = choices.findIndex(({ isOffered }) => isOffered !== true);
  return choices.map(({ key, words }, at) => {
    const isChosen = at === chosenAt;
    const row: Row = [
      styled(`${at + 1}. ${exactLine(words)}`, isChosen ? { ...accentStyle, ...boldStyle } : {}),
      styled(` (${bound(key)})`, dimStyle),
    ];
    const rows = rowsOf({ first: [styled(isChosen ? `${prompt} ` : '  ', accentStyle)], row });
    return at > 0 && at === own ? [[styled('  Answers of Capstan:', dimStyle)], ...rows] : rows;
  });
}

/** Its key is not cut. */
function oneAnswer(first: Row, [words = plain(''), key = plain('')]: Row, look: Look): Row {
  const room = Math.max(0, look.width - 2 - columnsOf(key.text));
  return [...first, ...cutRow([words], room, look), key];
}
