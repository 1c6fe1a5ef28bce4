import { cutRow, drawRows } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, styled } from '../screen/text/style.ts';
import type { RowPiece, Row, Style } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';

const chosenStyle: Style = { ...accentStyle, ...boldStyle };
export const listMargin: Row = [plain('  ')];

/** Draws rows, with a sign at the end of those that are cut. */
export function drawCutRows(rows: readonly Row[], look: Look): readonly string[] {
  return drawRows(
    rows.map((row) => cutRow(row, look.width, look)),
    look,
  );
}

export const cursorSign = (isChosen: boolean, look: Look): RowPiece =>
  styled(isChosen ? `${glyphsOf(look).prompt} ` : '  ', accentStyle);

export const listRowStyle = (isChosen: boolean): Style => (isChosen ? chosenStyle : {});

export const hintRows = (hint: string, look: Look): readonly Row[] =>
  wrapRow([styled(hint, dimStyle)], { width: look.width, first: listMargin });

/** The last rows of a screen. The end of the keys is not cut off unless the window is very low. */
export const footRows = (foot: Row, look: Look, height: number): readonly Row[] =>
  wrapRow(foot, { width: look.width }).slice(0, Math.max(1, Math.floor(height / 4)));

export const paddingBlanks = (width: number, taken: number): string => ' '.repeat(Math.max(0, width - taken));

/** Splits rows with several keys: `{ 'up k': act }` gives `act` for `up` and for `k`. */
export const keyTable = <Act>(rows: Readonly<Record<string, Act>>): ReadonlyMap<string, Act> =>
  new Map(Object.entries(rows).flatMap(([keys, act]) => keys.split(' ').map((key) => [key, act] as const)));
