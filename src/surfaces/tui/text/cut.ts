import { beginningOf, columnsOf } from '../../../base/columns.ts';
import { glyphsOf } from './glyphs.ts';
import type { Look } from './look.ts';
import { type Piece, plain, type Row } from './style.ts';

/** The line, or as much of it as fits, with a sign at its end that there was more. */
export function cutTo(line: string, columns: number, look: Pick<Look, 'glyphs'>): string {
  if (columnsOf(line) <= columns) return line;
  const { ellipsis } = glyphsOf(look);
  const room = columns - ellipsis.length;
  return room < 0 ? ellipsis.slice(0, Math.max(0, columns)) : beginningOf(line, room) + ellipsis;
}

export function rowColumns(row: Row): number {
  let columns = 0;
  for (const { text } of row) columns += columnsOf(text);
  return columns;
}

/** As much of a row as fits. */
export function beginningOfRow(row: Row, columns: number): Row {
  if (rowColumns(row) <= columns) return row;
  const kept: Piece[] = [];
  let left = columns;
  for (const piece of row) {
    const text = beginningOf(piece.text, left);
    if (text !== '') kept.push({ ...piece, text });
    left -= columnsOf(text);
    if (text.length < piece.text.length) break;
  }
  return kept;
}

/** The row, or as much of it as fits, with a sign at its end that there was more. */
export function cutRow(row: Row, columns: number, look: Pick<Look, 'glyphs'>): Row {
  if (rowColumns(row) <= columns) return row;
  const { ellipsis } = glyphsOf(look);
  const kept = beginningOfRow(row, Math.max(0, columns - ellipsis.length));
  const { style } = kept.at(-1) ?? {};
  const mark = ellipsis.slice(0, Math.max(0, columns));
  return [...kept, style === undefined ? plain(mark) : { text: mark, style }];
}
