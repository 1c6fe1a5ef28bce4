import type { TerminalInput } from '../screen/terminal-input.ts';
import { cleanLine } from '../text/clean.ts';
import { RowsText } from '../text/find-in-rows.ts';
import { plainRow, type RowRange } from '../text/mark-row.ts';

/** A search in the rows of a view: typed, then walked through. */
export class FindBar {
  #words = '';
  #isTyped = false;
  #at = 0;
  /** The row from which it began: the nearest place at or above it is chosen first. */
  #origin = 0;
  #text: RowsText | undefined;
  #rows = '';
  #found: readonly RowRange[] = [];
  #foundFor: { readonly words: string; readonly text: RowsText } | undefined;

  /** What is typed goes into it. */
  get isTyped(): boolean {
    return this.#isTyped;
  }

  get words(): string {
    return this.#words;
  }

  get isActive(): boolean {
    return this.#isTyped || this.#words !== '';
  }

  /** `2 of 17`. */
  get count(): string {
    if (this.#words.trim() === '') return '';
    return this.#found.length === 0 ? 'no matches' : `${this.#at + 1} of ${this.#found.length}`;
  }

  begin(row: number): void {
    this.#isTyped = true;
    this.#words = '';
    this.#origin = row;
  }

  end(): void {
    this.#isTyped = false;
    this.#words = '';
    this.#found = [];
    this.#foundFor = undefined;
  }

  /** True: another place is to be shown. */
  input(input: TerminalInput): boolean {
    if (input.kind === 'paste') return this.#type(this.#words + cleanLine(input.text));
    if (input.kind !== 'key') return false;
    switch (input.name) {
      case 'escape':
      case 'ctrl+c':
        this.end();
        return false;
      case 'enter':
      case 'f3':
        this.#isTyped = false;
        if (this.#words.trim() === '') this.end();
        return false;
      case 'up':
      case 'ctrl+p':
        return this.older();
      case 'down':
      case 'ctrl+n':
        return this.newer();
      case 'backspace':
        return this.#type(this.#words.slice(0, -1));
      case 'ctrl+u':
        return this.#type('');
      default:
        return input.text === '' ? false : this.#type(this.#words + input.text);
    }
  }

  older(): boolean {
    this.#at = this.#at === 0 ? Math.max(0, this.#found.length - 1) : this.#at - 1;
    return this.#found.length > 0;
  }

  newer(): boolean {
    this.#at = this.#at + 1 >= this.#found.length ? 0 : this.#at + 1;
    return this.#found.length > 0;
  }

  /** Looks at the rows as they are now. */
  look(rows: readonly string[]): void {
    if (this.#words.trim() === '') return;
    const rowsNow = `${rows.length} ${rows.at(-1) ?? ''} ${rows[0] ?? ''}`;
    if (this.#text === undefined || this.#rows !== rowsNow) this.#text = new RowsText(rows, this.#text);
    this.#rows = rowsNow;
    const text = this.#text;
    if (this.#foundFor?.words === this.#words && this.#foundFor.text === text) return;
    const isNew = this.#foundFor?.words !== this.#words;
    this.#foundFor = { words: this.#words, text };
    this.#found = text.find(this.#words);
    if (!isNew) this.#at = Math.max(0, Math.min(this.#at, this.#found.length - 1));
    else {
      const nearest = this.#found.findLastIndex((range) => text.rowOf(range) <= this.#origin);
      this.#at = nearest >= 0 ? nearest : 0;
    }
  }

  /** The row of the place that is chosen. */
  get row(): number | undefined {
    const chosen = this.#found[this.#at];
    return chosen === undefined ? undefined : this.#text?.rowOf(chosen);
  }

  marksIn(row: number): readonly RowRange[] {
    return this.#text?.marksIn(row, this.#found) ?? [];
  }

  /** Where the chosen place begins in its row, for the cursor: in what stands before it. */
  before(row: string): string {
    const [first] = this.#chosenMarks;
    return plainRow(row).slice(0, first?.from ?? 0);
  }

  get #chosenMarks(): readonly RowRange[] {
    const [chosen, row] = [this.#found[this.#at], this.row];
    return chosen === undefined || row === undefined ? [] : (this.#text?.marksIn(row, [chosen]) ?? []);
  }

  #type(words: string): boolean {
    this.#words = words;
    return true;
  }
}
