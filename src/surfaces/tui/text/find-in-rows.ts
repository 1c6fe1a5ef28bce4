import { plainRow, type RowRange } from './mark-row.ts';

/** More places are not counted. */
const mostFound = 10_000;

/** Rows as one text: a row that was wrapped continues in the next one, behind a blank. */
export class RowsText {
  readonly #rows: readonly string[];
  readonly #parts: string[];
  readonly #text: string;
  /** Where each row begins in the text, and how many blanks stand before it on the screen. */
  readonly #starts: number[];
  readonly #blanks: number[];

  /** `before`: the same rows at an earlier time. What has not changed since is not read again. */
  constructor(rows: readonly string[], before?: RowsText) {
    const kept = before === undefined ? 0 : sameBeginning(rows, before.#rows);
    this.#rows = rows;
    this.#parts = before === undefined ? [] : before.#parts.slice(0, kept);
    this.#starts = before === undefined ? [] : before.#starts.slice(0, kept);
    this.#blanks = before === undefined ? [] : before.#blanks.slice(0, kept);
    let at = kept === 0 ? 0 : this.#starts[kept - 1]! + this.#parts[kept - 1]!.length + 1;
    for (const row of rows.slice(kept)) {
      const plain = plainRow(row);
      const words = plain.trim();
      this.#starts.push(at);
      this.#blanks.push(plain.length - plain.trimStart().length);
      this.#parts.push(folded(words));
      at += words.length + 1;
    }
    this.#text = this.#parts.join(' ');
  }

  /** Where some words stand, in any case; in order and apart from each other. */
  find(words: string): readonly RowRange[] {
    const wanted = folded(words.trim().replaceAll(/\s+/g, ' '));
    if (wanted === '') return [];
    const found: RowRange[] = [];
    for (let at = this.#text.indexOf(wanted); at >= 0 && found.length < mostFound;) {
      found.push({ from: at, to: at + wanted.length });
      at = this.#text.indexOf(wanted, at + wanted.length);
    }
    return found;
  }

  /** The row in which a place begins. */
  rowOf({ from }: RowRange): number {
    return lastBefore(this.#starts.length, (at) => this.#starts[at]!, from);
  }

  /** The parts of found places that stand in a row. */
  marksIn(row: number, found: readonly RowRange[]): readonly RowRange[] {
    const start = this.#starts[row];
    if (start === undefined) return [];
    const [end, blanks] = [start + this.#parts[row]!.length, this.#blanks[row]!];
    const marks: RowRange[] = [];
    const first = lastBefore(found.length, (at) => found[at]!.from, start);
    for (let at = Math.max(0, first); at < found.length; at++) {
      const { from, to } = found[at]!;
      if (from >= end) break;
      if (to > start)
        marks.push({ from: Math.max(from, start) - start + blanks, to: Math.min(to, end) - start + blanks });
    }
    return marks;
  }
}

function sameBeginning(rows: readonly string[], others: readonly string[]): number {
  const most = Math.min(rows.length, others.length);
  let at = 0;
  while (at < most && rows[at] === others[at]) at += 1;
  return at;
}

/** In small letters, as long as they take the same space. */
function folded(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text;
}

/** The place of the last of growing numbers that is not above a limit; -1 where all are. */
function lastBefore(length: number, numberAt: (at: number) => number, limit: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberAt(middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
