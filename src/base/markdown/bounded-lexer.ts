import { Lexer, Tokenizer, type Tokens } from 'marked';

/** Quotes, lists and marks nested deeper are text. */
const deepest = 30;
const mostColumns = 100;
export type Alignment = 'left' | 'right' | 'centre';

/** A table as written. The library's own token has an entry for each cell that a row could have. */
export interface TableToken {
  readonly type: 'table';
  readonly raw: string;
  readonly titles: readonly string[];
  readonly alignments: readonly Alignment[];
  readonly lines: readonly (readonly string[])[];
}

/** Reads GFM, with HTML as text. `check` is called before each token, and may throw. */
class BoundedTokenizer extends Tokenizer {
  readonly #check: () => void;
  #depth = 0;

  constructor(check: () => void) {
    super();
    this.#check = check;
  }

  override space(src: string): Tokens.Space | undefined {
    this.#check();
    return super.space(src);
  }

  override escape(src: string): Tokens.Escape | undefined {
    this.#check();
    return super.escape(src);
  }

  override html(): undefined {}
  override tag(): undefined {}

  static {
    for (const name of ['blockquote', 'list', 'link', 'reflink', 'emStrong', 'del'] as const) {
      const read = Tokenizer.prototype[name] as (this: Tokenizer, ...given: unknown[]) => never;
      this.prototype[name] = function (this: BoundedTokenizer, ...given: unknown[]) {
        return this.#within(() => read.apply(this, given));
      } as typeof read;
    }
  }

  override table(src: string): Tokens.Table | undefined {
    const [raw, header, line, body = ''] = this.rules.block.table.exec(src) ?? [];
    if (raw === undefined || !/[:|]/.test(line!)) return undefined;
    const [titles, columns] = [cellsOf(header!), cellsOf(line!)];
    if (titles.length !== columns.length || titles.length > mostColumns) return undefined;
    const lines = body.trim() === '' ? [] : body.trimEnd().split('\n');
    const token: TableToken = {
      type: 'table',
      raw: raw.replace(/\n+$/, ''),
      titles,
      alignments: columns.map((cell) => (cell.endsWith(':') ? (cell.startsWith(':') ? 'centre' : 'right') : 'left')),
      lines: lines.map((each) => fitted(cellsOf(each), titles.length)),
    };
    return token as unknown as Tokens.Table;
  }

  #within<Read>(read: () => Read | undefined): Read | undefined {
    if (this.#depth >= deepest) return undefined;
    this.#depth += 1;
    const found = read();
    this.#depth -= 1;
    return found;
  }
}

function cellsOf(row: string): readonly string[] {
  const cells = row
    .trim()
    .replace(/^\|/, '')
    .split(/(?<!\\)\|/);
  if (cells.length > 1 && cells.at(-1)!.trim() === '') cells.pop();
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** The last cell takes what exceeds the header, so no text of an answer is lost. */
const fitted = (cells: readonly string[], most: number): readonly string[] =>
  cells.length <= most ? cells : [...cells.slice(0, most - 1), cells.slice(most - 1).join(' | ')];

/** The queue of texts to be read stays short: marks of a text are read only when it is drawn. */
class BoundedLexer extends Lexer {
  override inline(src: string, tokens: Tokens.Generic[] = []): Tokens.Generic[] {
    // The library changes the last entry, sometimes after it has removed one.
    this.inlineQueue = [
      { src, tokens },
      { src, tokens },
    ];
    return tokens;
  }
}

/** Milliseconds for one reading. The longer one is for the first of a process, and for short texts. */
const [longestRead, longestEasyRead] = [50, 1000];
let hasRead = false;
const few = 1000;
/** Time limit for readings of one text. Each reading that takes too long shortens the next ones. */
export type ParsingTime = { share: number };

/** Reads a block or its marks. A block that cannot be read in time stays as written. */
export class TimedParser {
  readonly #time: ParsingTime;
  #isOver = false;

  constructor(time: ParsingTime) {
    this.#time = time;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Undefined if it took too long or the library failed. */
  read<Read>(text: string, work: (lexer: Lexer) => Read): Read | undefined {
    if (this.#isOver) return undefined;
    const check = timer(hasRead && text.length > few ? longestRead * this.#time.share : longestEasyRead);
    try {
      return work(new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer(check) }));
    } catch {
      this.#isOver = true;
      this.#time.share *= 0.8;
      return undefined;
    } finally {
      hasRead = true;
    }
  }
}

/** Measures CPU time: by the clock, a busy machine would show plain text. Asks for it only in a slow reading. */
function timer(most: number): () => void {
  const slow = performance.now() + most / 5;
  let start: NodeJS.CpuUsage | undefined;
  return () => {
    if (performance.now() < slow) return;
    start ??= process.cpuUsage();
    const { user, system } = process.cpuUsage(start);
    if ((user + system) / 1000 > most * 0.8) throw new Error('Reading took too long');
  };
}
