import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { keyTable } from './list-parts.ts';

export class FindBar {
  words = '';
  isTyped = false;
  #at = 0;
  /** The starting row: the nearest match at or above it is selected first. */
  #origin = 0;
  #text: SearchableRows | undefined;
  #rows = '';
  #found: readonly RowRange[] = [];
  #foundFor: { readonly words: string; readonly text: SearchableRows } | undefined;
  /** Each gives true if another match may be chosen now. */
  readonly #keys = keyTable<() => boolean | void>({
    'escape ctrl+c': () => this.end(),
    'enter f3': () => {
      this.isTyped = false;
      if (this.words.trim() === '') this.end();
    },
    'up ctrl+p': () => this.older(),
    'down ctrl+n': () => this.newer(),
    backspace: () => this.#type(this.words.slice(0, -1)),
    'ctrl+u': () => this.#type(''),
  });

  get isActive(): boolean {
    return this.isTyped || this.words !== '';
  }

  get count(): string {
    if (this.words.trim() === '') return '';
    return this.#found.length === 0 ? 'no matches' : `${this.#at + 1} of ${this.#found.length}`;
  }

  begin(row: number): void {
    this.isTyped = true;
    this.words = '';
    this.#origin = row;
  }

  end(): void {
    this.isTyped = false;
    this.words = '';
    this.#found = [];
    this.#foundFor = undefined;
  }

  input(input: TerminalInput): boolean {
    if (input.kind === 'paste') return this.#type(this.words + cleanLine(input.text));
    if (input.kind !== 'key') return false;
    const act = this.#keys.get(input.name);
    if (act !== undefined) return act() === true;
    return input.text !== '' && this.#type(this.words + input.text);
  }

  older(): boolean {
    this.#at = this.#at === 0 ? Math.max(0, this.#found.length - 1) : this.#at - 1;
    return this.#found.length > 0;
  }

  newer(): boolean {
    this.#at = this.#at + 1 >= this.#found.length ? 0 : this.#at + 1;
    return this.#found.length > 0;
  }

  look(rows: readonly string[]): void {
    if (this.words.trim() === '') return;
    const rowsNow = `${rows.length} ${rows.at(-1) ?? ''} ${rows[0] ?? ''}`;
    if (this.#text === undefined || this.#rows !== rowsNow) this.#text = new SearchableRows(rows, this.#text);
    this.#rows = rowsNow;
    const text = this.#text;
    if (this.#foundFor?.words === this.words && this.#foundFor.text === text) return;
    const isNew = this.#foundFor?.words !== this.words;
    this.#foundFor = { words: this.words, text };
    this.#found = text.find(this.words);
    const nearest = isNew
      ? this.#found.findLastIndex((range) => text.rowOf(range) <= this.#origin)
      : Math.min(this.#at, this.#found.length - 1);
    this.#at = Math.max(0, nearest);
  }

  get row(): number | undefined {
    const chosen = this.#found[this.#at];
    return chosen === undefined ? undefined : this.#text?.rowOf(chosen);
  }

  marksIn(row: number): readonly RowRange[] {
    return this.#text?.marksIn(row, this.#found) ?? [];
  }

  before(row: string): string {
    const [chosen, at] = [this.#found[this.#at], this.row];
    const [mark] = chosen === undefined || at === undefined ? [] : (this.#text?.marksIn(at, [chosen]) ?? []);
    return stripRowStyles(row).slice(0, mark?.from ?? 0);
  }

  #type(words: string): boolean {
    this.words = words;
    return true;
  }
}

const mostFound = 10_000;

/** Rows as one text: a wrapped row continues in the next one after a blank. */
export class SearchableRows {
  readonly #rows: readonly string[];
  readonly #parts: string[];
  readonly #text: string;
  /** Start of each row in the text, and the number of its leading blanks on the screen. */
  readonly #starts: number[];
  readonly #blanks: number[];

  /** `before`: the same rows earlier. Unchanged rows are not read again. */
  constructor(rows: readonly string[], before?: SearchableRows) {
    const kept = before === undefined ? 0 : sameBeginning(rows, before.#rows);
    this.#rows = rows;
    this.#parts = before === undefined ? [] : before.#parts.slice(0, kept);
    this.#starts = before === undefined ? [] : before.#starts.slice(0, kept);
    this.#blanks = before === undefined ? [] : before.#blanks.slice(0, kept);
    let at = kept === 0 ? 0 : this.#starts[kept - 1]! + this.#parts[kept - 1]!.length + 1;
    for (const row of rows.slice(kept)) {
      const plain = stripRowStyles(row);
      const words = plain.trim();
      this.#starts.push(at);
      this.#blanks.push(plain.length - plain.trimStart().length);
      this.#parts.push(folded(words));
      at += words.length + 1;
    }
    this.#text = this.#parts.join(' ');
  }

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

  rowOf({ from }: RowRange): number {
    return lastBefore(this.#starts.length, (at) => this.#starts[at]!, from);
  }

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

/** Lower case, unless that changes the length. */
function folded(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text;
}

/** Index of the last ascending number that is not above a limit; -1 if all are above. */
function lastBefore(length: number, numberAt: (at: number) => number, limit: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberAt(middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// oxlint-disable-next-line no-control-regex -- our own styles
const sequence = /\u001B\[[\d;]*m/g;
export const stripRowStyles = (row: string): string => (row.includes('\u001B') ? row.replaceAll(sequence, '') : row);
type RowRange = { readonly from: number; readonly to: number };

export function markRow(row: string, ranges: readonly RowRange[]): string {
  let [out, at, index, isOn] = ['', 0, 0, false];
  const turn = (on: boolean): void => {
    out += on ? '\u001B[7m' : '\u001B[27m';
    isOn = on;
  };
  for (const part of row.split(/(\u001B\[[\d;]*m)/)) {
    if (part.startsWith('\u001B')) {
      out += part;
      // The style may have switched the highlight off.
      if (isOn) out += '\u001B[7m';
      continue;
    }
    for (let done = 0; done < part.length;) {
      const range = ranges[index];
      if (range === undefined) {
        out += part.slice(done);
        at += part.length - done;
        break;
      }
      const edge = isOn ? range.to : range.from;
      const end = Math.min(part.length, done + Math.max(0, edge - at));
      out += part.slice(done, end);
      at += end - done;
      done = end;
      if (at < edge) break;
      turn(!isOn);
      if (!isOn) index += 1;
    }
  }
  return isOn ? `${out}\u001B[27m` : out;
}
