import { rowChange, type RowChange } from './row-changes.ts';

export interface WantedRows {
  readonly rows: readonly string[];
  /** Rows of the terminal. Rows that scroll out at the top can no longer be written. */
  readonly height: number;
}

/**
 * Turns existing rows into the wanted ones, and blanks those below. Writes from top to bottom, each row below the one
 * before: a terminal that was just made narrower rewraps rows, and none may overwrite the end of another.
 */
export function repaintScreenRows(pen: RowPen, old: readonly string[], { rows, height }: WantedRows): void {
  const shown = rows.length > height ? old : movedRows(pen, old, rows);
  for (const [at, row] of rows.entries()) {
    if (at >= pen.rows) pen.goTo(at, 0);
    const change = rowChange(shown[at] ?? '', row);
    if (change !== undefined) pen.change(at, change);
  }
  if (shown.slice(rows.length).some((row) => row !== '')) pen.send(rows.length, '\u001B[J');
}

/** Moves rows if that pays. Makes room for new rows before anything is written. */
function movedRows(pen: RowPen, old: readonly string[], rows: readonly string[]): readonly string[] {
  const count = Math.max(old.length, rows.length);
  const shown = filled(old, count);
  const shift = findShift(shown, filled(rows, count));
  if (shift === undefined) return old;
  if (rows.length > pen.rows) pen.goTo(rows.length - 1, 0);
  for (const { row, lines, move } of lineMoves(shown, shift))
    pen.send(row, `\u001B[${lines === 1 ? '' : lines}${move === 'insert' ? 'L' : 'M'}`);
  return shiftRows(shown, shift);
}

const filled = (rows: readonly string[], count: number): readonly string[] =>
  rows.length === count ? rows : [...rows, ...Array.from({ length: count - rows.length }, () => '')];

export type PenPlace = { readonly row: number; readonly column: number | undefined };

export interface PenSize {
  readonly rows: number;
  readonly columns: number;
  /** Whole terminal: rows are addressed by number. Live: only the distance to the cursor is known. */
  readonly part: 'whole' | 'live';
}

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

  get rows(): number {
    return this.#rows;
  }
  get place(): PenPlace {
    return { row: this.#row, column: this.#column };
  }

  /** Goes to a place. If the row is new, adds it below the others; the terminal scrolls if necessary. */
  goTo(row: number, column: number): void {
    if (this.#part === 'live') this.#reach(row);
    else if (row !== this.#row || this.#column === undefined) {
      this.text += `\u001B[${row + 1}${column === 0 ? '' : `;${column + 1}`}H`;
      this.#column = column;
    }
    this.#row = row;
    this.#toColumn(column);
  }

  /** Sends a sequence at the beginning of a row. It must leave the cursor there. */
  send(row: number, sequence: string): void {
    this.goTo(row, 0);
    this.text += sequence;
  }

  change(row: number, { column, text, end }: RowChange): void {
    this.goTo(row, column);
    this.text += text;
    // After the last column a cursor may stay there or wait for the next row.
    this.#column = end !== undefined && end < this.#columns ? end : undefined;
  }

  /**
   * Moves down by line feeds: if a row took more space than expected, the terminal scrolls instead of holding the
   * cursor at the bottom, where the next row would overwrite this one.
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

/** Moves rows `from` to `to` (exclusive): down if `by` is above 0, else up. */
export type RowShift = { readonly from: number; readonly to: number; readonly by: number };
/** Approximate bytes of a shift's sequences. */
const leastGain = 24;
/** Bytes to go to a row and erase it. */
const perRow = 4;

/** The shift that puts most rows in place; both lists are equally long. Undefined if a shift saves too little. */
export function findShift(old: readonly string[], next: readonly string[]): RowShift | undefined {
  let from = 0;
  while (from < next.length && old[from] === next[from]) from++;
  const by = mostlyMovedBy(old, next, from);
  if (by === undefined) return undefined;
  let best = { gain: 0, from: 0, to: 0 };
  let run = { gain: 0, from };
  for (let at = from; at < next.length; at++) {
    const source = at - by;
    const row = next[at] ?? '';
    const isMoved = source >= from && source < old.length && old[source] === row;
    const gain = row.length + perRow;
    const change = (isMoved ? gain : 0) - (old[at] === row ? gain : 0);
    run = run.gain <= 0 ? { gain: change, from: at } : { gain: run.gain + change, from: run.from };
    if (run.gain > best.gain) best = { ...run, to: at + 1 };
  }
  if (best.gain < leastGain) return undefined;
  return by > 0 ? { from: best.from - by, to: best.to, by } : { from: best.from, to: best.to - by, by };
}

function mostlyMovedBy(old: readonly string[], next: readonly string[], from: number): number | undefined {
  const places = new Map<string, number[]>();
  for (let at = from; at < old.length; at++) {
    const row = old[at] ?? '';
    if (row === '') continue;
    const known = places.get(row);
    if (known === undefined) places.set(row, [at]);
    else known.push(at);
  }
  const votes = new Map<number, number>();
  for (let at = from; at < next.length; at++) {
    const row = next[at] ?? '';
    for (const place of places.get(row) ?? []) votes.set(at - place, (votes.get(at - place) ?? 0) + row.length);
  }
  let most = 0;
  let by: number | undefined;
  for (const [shift, weight] of votes) if (shift !== 0 && weight > most) [by, most] = [shift, weight];
  return by;
}

export function shiftRows(rows: readonly string[], { from, to, by }: RowShift): readonly string[] {
  const blank = Array.from({ length: Math.abs(by) }, () => '');
  const moved = by > 0 ? [...blank, ...rows.slice(from, to - by)] : [...rows.slice(from - by, to), ...blank];
  return [...rows.slice(0, from), ...moved, ...rows.slice(to)];
}

/** A step of a shift, in order: lines inserted above a row, or deleted from it on. */
export type LineMove = { readonly row: number; readonly lines: number; readonly move: 'insert' | 'delete' };

/** The steps of a shift. Rows below the shifted ones are put back in place; below the last row there is nothing. */
export function lineMoves(rows: readonly string[], { from, to, by }: RowShift): readonly LineMove[] {
  const lines = Math.abs(by);
  const isBlank = rows.slice(to - lines, to).every((row) => row === '');
  const atEnd = to === rows.length;
  if (by < 0) {
    const close: LineMove = { row: to - lines, lines, move: 'insert' };
    return [{ row: from, lines, move: 'delete' }, ...(atEnd ? [] : [close])];
  }
  const open: LineMove = { row: to - lines, lines, move: 'delete' };
  return [...(atEnd && isBlank ? [] : [open]), { row: from, lines, move: 'insert' }];
}
