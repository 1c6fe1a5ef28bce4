import { type Breaking, breakLine } from './break-line.ts';
import { beginningOfRow, rowColumns } from './cut.ts';
import type { Piece, Row } from './style.ts';

export interface WrapForm {
  readonly width: number;
  /** What stands before the first row, and before the others. */
  readonly first?: Row;
  readonly rest?: Row;
  /** Absent: `words`. */
  readonly breaking?: Breaking;
}

const nothing: Row = [];

/** A line in rows of at most so many columns. */
export function wrapRow(
  row: Row,
  { width, first = nothing, rest = first, breaking = 'words' }: WrapForm,
): readonly Row[] {
  const [before, after] = [fitting(first, width), fitting(rest, width)];
  const line = row.length === 1 ? row[0]!.text : row.map(({ text }) => text).join('');
  const places = breakLine(line, width - rowColumns(before), width - rowColumns(after), breaking);
  if (places.length === 2 && places[1] === line.length) return [[...before, ...row]];
  const rows: Row[] = [];
  const slicer = new Slicer(row);
  for (let index = 0; index < places.length; index += 2) {
    rows.push([...(index === 0 ? before : after), ...slicer.slice(places[index]!, places[index + 1]!)]);
  }
  return rows;
}

/** What stands before a row leaves at least one column, or a third of them where there are few. */
function fitting(prefix: Row, width: number): Row {
  return prefix.length === 0 ? prefix : beginningOfRow(prefix, Math.max(0, width - Math.max(1, Math.ceil(width / 3))));
}

/** Cuts a row at places that only grow: each piece is visited once. */
class Slicer {
  readonly #row: Row;
  #index = 0;
  #offset = 0;

  constructor(row: Row) {
    this.#row = row;
  }

  slice(from: number, to: number): readonly Piece[] {
    const pieces: Piece[] = [];
    for (; this.#index < this.#row.length; this.#index += 1) {
      const piece = this.#row[this.#index]!;
      const end = this.#offset + piece.text.length;
      const text = piece.text.slice(Math.max(0, from - this.#offset), Math.max(0, to - this.#offset));
      if (text !== '') pieces.push({ ...piece, text });
      if (end > to) break;
      this.#offset = end;
    }
    return pieces;
  }
}
