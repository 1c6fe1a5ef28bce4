import { columnsOf } from '../../base/columns.ts';
import { endsCode, type Fence, fenceIn } from '../../base/markdown/fence.ts';

/** A line break, blanks, or a word; a sign of two columns is a word of its own, as lines may break beside it. */
const token = /\n|[^\S\n]+|\S+/g;
/** Rows of a table would not be better for it. */
const unbroken = /^ {0,3}\|/;
/** What a line of a list or a quotation begins with: lines that continue it begin below its text. */
const opening = /^\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)?/;
/** So much of a line is kept to know what it is. */
const longestOpening = 24;

/**
 * Breaks the lines of an answer between words while it arrives in pieces: a terminal breaks them anywhere. A word is
 * held back until it is complete, unless it is the first of its line. Code in fences is left as it is, so that it can be copied.
 */
export class WrappedStream {
  readonly #width: () => number;
  #column = 0;
  /** The beginning of the line, as it was sent. */
  #line = '';
  #blanks = '';
  #word = '';
  /** The word need not wait: it is the first of its line, or fits in none. */
  #isPlaced = false;
  #code: Fence | undefined;

  constructor(width: () => number) {
    this.#width = width;
  }

  push(text: string): string {
    let shown = '';
    for (const [part] of text.matchAll(token)) {
      if (part === '\n') shown += this.#endLine();
      else if (/^\s/.test(part)) shown += this.#endWord() + this.#blank(part);
      else for (const piece of wordsIn(part)) shown += this.#add(piece);
    }
    return shown;
  }

  end(): string {
    return this.#endWord();
  }

  #add(piece: string): string {
    if (this.#isWhole) return this.#pass(piece);
    const isOwn = columnsOf(piece) > piece.length;
    const before = isOwn ? this.#endWord() : '';
    this.#note(piece);
    this.#word += piece;
    if (!isOwn && (this.#column === 0 || columnsOf(this.#word) > this.#width())) this.#isPlaced = true;
    return isOwn || this.#isPlaced ? before + this.#place() : before;
  }

  #blank(blanks: string): string {
    this.#note(blanks);
    if (this.#isWhole) return blanks;
    this.#blanks += blanks;
    return '';
  }

  #endLine(): string {
    const shown = this.#endWord();
    if (this.#code === undefined) this.#code = fenceIn(this.#line);
    else if (endsCode(this.#code, this.#line)) this.#code = undefined;
    this.#line = '';
    this.#blanks = '';
    this.#column = 0;
    return `${shown}\n`;
  }

  #endWord(): string {
    const shown = this.#place();
    this.#isPlaced = false;
    return shown;
  }

  /** The word that was held back, on this line or on the next. */
  #place(): string {
    const [word, blanks, width] = [this.#word, this.#blanks, columnsOf(this.#word)];
    if (word === '') return '';
    [this.#word, this.#blanks] = ['', ''];
    const most = this.#width();
    if (this.#column === 0 || this.#column + columnsOf(blanks) + width <= most || this.#isPlaced) {
      this.#column += columnsOf(blanks) + width;
      return blanks + word;
    }
    const hanging = opening.exec(this.#line)?.[0].length ?? 0;
    const indent = hanging > most / 2 ? 0 : hanging;
    this.#column = indent + width;
    return `\n${' '.repeat(indent)}${word}`;
  }

  get #isWhole(): boolean {
    return this.#code !== undefined || fenceIn(this.#line) !== undefined || unbroken.test(this.#line);
  }

  #pass(piece: string): string {
    this.#note(piece);
    const shown = this.#endWord();
    return shown + this.#takeBlanks() + piece;
  }

  #takeBlanks(): string {
    const blanks = this.#blanks;
    this.#blanks = '';
    return blanks;
  }

  #note(piece: string): void {
    if (this.#line.length < longestOpening) this.#line += piece;
  }
}

/** Signs of two columns apart from the rest. */
function wordsIn(run: string): readonly string[] {
  if (columnsOf(run) <= run.length) return [run];
  return run.match(/[\u0021-\u024F]+|./gsu) ?? [];
}
