import { type ColourRole, type Piece, plain, type Row, type Style } from '../text/style.ts';
import type { Grammar } from './languages.ts';

/** Inside of what a line begins, if not in plain code. */
export interface LongToken {
  readonly end: string;
  readonly role: 'string' | 'comment';
}

export interface HighlightedLine {
  readonly row: Row;
  /** Inside of what the next line begins. */
  readonly inside: LongToken | undefined;
}

/** A longer line is drawn as it is. */
const longestLine = 4096;

const styles: Readonly<Record<'keyword' | 'string' | 'comment' | 'number', Style>> = {
  keyword: { colour: 'keyword' },
  string: { colour: 'string' },
  comment: { colour: 'comment', italic: true },
  number: { colour: 'number' },
};

/** One line of code: words, texts, comments and numbers in their colours. */
export function highlightLine(line: string, grammar: Grammar, inside?: LongToken): HighlightedLine {
  if (line.length > longestLine) return { row: [plain(line)], inside: undefined };
  const row: Piece[] = [];
  let at = 0;
  let long = inside;
  const pattern = patternOf(grammar);
  for (;;) {
    if (long !== undefined) {
      const end = endOf(line, at, long.end);
      if (end > at) row.push({ text: line.slice(at, end), style: styles[long.role] });
      if (!line.startsWith(long.end, end - long.end.length) || end - long.end.length < at) return { row, inside: long };
      at = end;
      long = undefined;
    }
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found === null) break;
    const [text] = found;
    if (found.index > at) row.push(plain(line.slice(at, found.index)));
    const role = roleOf(found, grammar);
    row.push(role === undefined ? plain(text) : { text, style: styles[role] });
    at = found.index + text.length;
    if (found.groups?.['long'] !== undefined) {
      const [, end, kind] = grammar.long!.find(([start]) => start === text)!;
      long = { end, role: kind };
    }
  }
  if (at < line.length) row.push(plain(line.slice(at)));
  return { row, inside: undefined };
}

/** Behind the end of a long text, or of the line where it has none. */
function endOf(line: string, from: number, end: string): number {
  let at = line.indexOf(end, from);
  if (end === '`') while (at > from && line[at - 1] === '\\') at = line.indexOf(end, at + 1);
  return at < 0 ? line.length : at + end.length;
}

function roleOf(
  { groups = {} }: RegExpExecArray,
  { words, isCaseless, long = [] }: Grammar,
): keyof typeof styles | undefined {
  if (groups['comment'] !== undefined) return 'comment';
  if (groups['long'] !== undefined) return long.find(([start]) => start === groups['long'])?.[2];
  if (groups['text'] !== undefined) return 'string';
  if (groups['number'] !== undefined) return 'number';
  const { word = '' } = groups;
  return words.has(isCaseless === true ? word.toLowerCase() : word) ? ('keyword' satisfies ColourRole) : undefined;
}

const patterns = new WeakMap<Grammar, RegExp>();

/** Every token of a grammar, by the group that matched. Each part is linear. */
function patternOf(grammar: Grammar): RegExp {
  const known = patterns.get(grammar);
  if (known !== undefined) return known;
  const { comment, long = [], quotes = '' } = grammar;
  const parts = [
    ...(long.length === 0 ? [] : [`(?<long>${long.map(([start]) => escaped(start)).join('|')})`]),
    ...(comment === undefined ? [] : [`(?<comment>${comment === '#' ? '(?<![\\w$&{])' : ''}${escaped(comment)}.*)`]),
    ...(quotes === ''
      ? []
      : [
          `(?<text>${quotes
            .split('')
            .map((quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}?`)
            .join('|')})`,
        ]),
    String.raw`(?<number>\b\d[\w.]*)`,
    String.raw`(?<word>[A-Za-z_$][\w$]*)`,
  ];
  const pattern = new RegExp(parts.join('|'), 'g');
  patterns.set(grammar, pattern);
  return pattern;
}

function escaped(text: string): string {
  return text.replaceAll(/[*+?.()[\]{}|\\^$/-]/g, String.raw`\$&`);
}

/** Counts what was highlighted of one text, and ends it where the text is too long. */
export class HighlightBudget {
  #lines = 0;
  #characters = 0;

  /** Whether the next line may have colours. */
  take(line: string): boolean {
    this.#lines += 1;
    this.#characters += line.length + 1;
    return this.#lines <= 10_000 && this.#characters <= 512 * 1024;
  }

  copy(): HighlightBudget {
    const copy = new HighlightBudget();
    copy.#lines = this.#lines;
    copy.#characters = this.#characters;
    return copy;
  }
}
