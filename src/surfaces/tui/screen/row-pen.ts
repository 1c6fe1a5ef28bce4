import type { RowChange } from './row-change.ts';

export interface PenPlace {
  readonly row: number;
  /** Undefined: not known. */
  readonly column: number | undefined;
}

export interface PenSize {
  /** Rows that are there already. */
  readonly rows: number;
  readonly columns: number;
  /** The whole terminal: each row has a number. Live: only the distance to the cursor is known. */
  readonly part: 'whole' | 'live';
}

/** Writes on the rows of a terminal, in few bytes. */
export class RowPen {
  text = '';
  readonly #columns: number;
  readonly #part: PenSize['part'];
  #rows: number;
  #row: number;
  #column: number | undefined;

  constructor({ row, column }: PenPlace, { rows, columns, part }: PenSize) {
    [this.#row, this.#column, this.#rows] = [row, column, Math.max(rows, row + 1)];
    [this.#columns, this.#part] = [columns, part];
  }

  /** How many rows are there. */
  get rows(): number {
    return this.#rows;
  }

  get place(): PenPlace {
    return { row: this.#row, column: this.#column };
  }

  /** A row that is not there yet comes below the others, and the terminal scrolls where it has to. */
  goTo(row: number, column: number): void {
    if (this.#part === 'live') this.#reach(row);
    else if (row !== this.#row || this.#column === undefined) {
      this.text += `\u001B[${row + 1}${column === 0 ? '' : `;${column + 1}`}H`;
      this.#column = column;
    }
    this.#row = row;
    this.#toColumn(column);
  }

  /** At the beginning of a row: a sequence that leaves the cursor there. */
  send(row: number, sequence: string): void {
    this.goTo(row, 0);
    this.text += sequence;
  }

  change(row: number, { column, text, end }: RowChange): void {
    this.goTo(row, column);
    this.text += text;
    // Behind the last column a cursor may stand in it or wait for the next row.
    this.#column = end !== undefined && end < this.#columns ? end : undefined;
  }

  /**
   * Down by line feeds: where a row took more space than it should, the terminal scrolls instead of holding the cursor at
   * its lower end, where the next row would be written over this one.
   */
  #reach(row: number): void {
    const up = this.#row - row;
    if (up > 0) this.text += `\u001B[${up === 1 ? '' : up}A`;
    if (up >= 0) return;
    this.#toColumn(0);
    this.text += '\n'.repeat(-up);
    this.#rows = Math.max(this.#rows, row + 1);
  }

  #toColumn(column: number): void {
    if (column === this.#column) return;
    this.text += column === 0 ? '\r' : `\u001B[${column + 1}G`;
    this.#column = column;
  }
}
