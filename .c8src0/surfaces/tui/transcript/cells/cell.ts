import { beginningOfRow, drawRows } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { badStyle, dimStyle, goodStyle, type RowPiece, plain, type Row, styled } from '../../screen/text/style.ts';
import { wrapIn } from '../../screen/text/wrap-row.ts';

/**
 * A piece of the transcript. Rows are at most `width` columns wide, styled by SGR only and closed at their end, and
 * contain no other control characters. The same look gives the same rows, so callers may cache them.
 */
export interface Cell {
  /** Empty if the cell is not shown in this look. */
  rows(look: Look): readonly string[];
  rowsFrom?(look: Look, from: number): readonly string[];
  /** The last rows, at least `least` if there are as many. Absent: drawing all is fast enough. */
  lastRows?(look: Look, least: number): LastRows;
}

export type LastRows = { readonly rows: readonly string[]; readonly isAll: boolean };

export function cellFromRows(make: (look: Look) => readonly Row[]): Cell {
  return { rows: (look) => drawRows(make(look), look) };
}

interface HeadedRows {
  readonly mark: CellState | RowPiece;
  readonly head: Row;
  /** Lines below the head, to be wrapped. */
  readonly lines?: readonly Row[];
  /** Rows below the head, already wrapped to `widthUnderHead`. */
  readonly output?: readonly Row[];
  /** Further rows, as they are. */
  readonly body?: readonly Row[];
}

/** `make` returns undefined if the cell is not shown in this look. */
export function cellWithHead(make: (look: Look) => HeadedRows | undefined): Cell {
  return cellFromRows((look) => {
    const made = make(look);
    if (made === undefined) return [];
    const { mark, head, lines = [], output = [], body = [] } = made;
    return [...headRows(look, mark, head), ...underRows(look, lines), ...indentWrappedRows(look, output), ...body];
  });
}

const gutter = 2;
const underGutter = 4;

export function headRows(look: Look, mark: CellState | RowPiece, header: Row): readonly Row[] {
  const first = markPieces(typeof mark === 'string' ? stateMark(mark, look) : mark);
  return wrapIn(look, header, first, first.length === 0 ? [] : [plain(' '.repeat(gutter))]);
}

export const markPieces = (mark: RowPiece): Row => (mark.text === '' ? [] : [mark, plain(' ')]);

/** Lines below the head: a corner, then blanks. */
const underRows = (look: Look, lines: readonly Row[]): readonly Row[] =>
  lines.flatMap((line, at) => wrapIn(look, line, underPrefix(look, at), blanks));

/** Like `underRows`, for rows already wrapped to `widthUnderHead`. */
export function indentWrappedRows(look: Look, rows: readonly Row[]): readonly Row[] {
  const taken = look.width - widthUnderHead(look);
  return rows.map((row, at) => [...beginningOfRow(underPrefix(look, at), taken), ...row]);
}

/** Columns for rows below the head. Narrow screens have a smaller margin. */
export const widthUnderHead = ({ width }: Look): number =>
  Math.max(width - underGutter, Math.min(width, Math.max(1, Math.ceil(width / 3))));

const blanks: Row = [plain(' '.repeat(underGutter))];

const underPrefix = (look: Look, at: number): Row =>
  at === 0 ? [styled(`  ${glyphsOf(look).corner} `, dimStyle)] : blanks;

export type CellState = 'running' | 'good' | 'bad' | 'quiet' | 'plain';

export const callCellState = (status: 'in-progress' | 'completed' | 'failed'): CellState =>
  (({ 'in-progress': 'running', completed: 'plain', failed: 'bad' }) as const)[status];

/** The mark of a state. Each has a sign of its own, so that it does not depend on colour alone. */
export function stateMark(state: CellState, look: Look): RowPiece {
  const { bullet, bad } = glyphsOf(look);
  // A screen reader needs no mark: the head names the state.
  if (look.glyphs === 'words') return plain('');
  if (state === 'bad') return styled(bad, badStyle);
  if (state === 'good') return styled(bullet, goodStyle);
  if (state === 'plain') return plain(bullet);
  const isOn = look.motion === 'none' || Math.floor(look.now / blinkMs) % 2 === 0;
  return state === 'running' && isOn ? plain(bullet) : styled(bullet, dimStyle);
}

const blinkMs = 600;
