import { beginningOfRow } from '../text/cut.ts';
import { drawRows } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { badStyle, dimStyle, goodStyle, type Piece, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { Cell } from './cell.ts';

/** A cell by the rows that it has. */
export function cellOfRows(make: (look: Look) => readonly Row[]): Cell {
  return { rows: (look) => drawRows(make(look), look) };
}

const gutter = 2;
const underGutter = 4;

/** The first rows of a cell: its mark, and what it is about. */
export function headRows(look: Look, mark: Piece, header: Row): readonly Row[] {
  const rest: Row = mark.text === '' ? [] : [plain(' '.repeat(gutter))];
  return wrapRow(header, { width: look.width, first: markPieces(mark), rest });
}

/** The mark of a cell, and the space behind it. */
export function markPieces(mark: Piece): Row {
  return mark.text === '' ? [] : [mark, plain(' ')];
}

/** Lines below the head: a corner, then blanks. */
export function underRows(look: Look, lines: readonly Row[]): readonly Row[] {
  return lines.flatMap((line, at) => wrapRow(line, { width: look.width, first: underPrefix(look, at), rest: blanks }));
}

/** The same for rows that were wrapped to `roomUnder`. */
export function framedRows(look: Look, rows: readonly Row[]): readonly Row[] {
  const taken = look.width - roomUnder(look);
  return rows.map((row, at) => [...beginningOfRow(underPrefix(look, at), taken), ...row]);
}

/** The columns of rows below the head. Narrow screens have less of a margin. */
export function roomUnder({ width }: Look): number {
  return Math.max(width - underGutter, Math.min(width, Math.max(1, Math.ceil(width / 3))));
}

const blanks: Row = [plain(' '.repeat(underGutter))];

function underPrefix(look: Look, at: number): Row {
  return at === 0 ? [styled(`  ${glyphsOf(look).corner} `, dimStyle)] : blanks;
}

/** How something stands. Each state has a sign of its own, so that no reader depends on its colour alone. */
export function stateMark(state: 'running' | 'good' | 'bad' | 'quiet' | 'plain', look: Look): Piece {
  const { bullet, bad } = glyphsOf(look);
  // The header says how it stands.
  if (look.glyphs === 'words') return plain('');
  if (state === 'bad') return styled(bad, badStyle);
  if (state === 'good') return styled(bullet, goodStyle);
  if (state === 'plain') return plain(bullet);
  const isOn = look.motion === 'none' || Math.floor(look.now / blinkMs) % 2 === 0;
  const isBright = state === 'running' && isOn;
  return isBright ? plain(bullet) : styled(bullet, dimStyle);
}

const blinkMs = 600;
