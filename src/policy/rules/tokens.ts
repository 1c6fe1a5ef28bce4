import { RulesFault } from './rules-fault.ts';
import { decode, type FormatPiece, formatPieces, scanString } from './string-literals.ts';

/** A word of the language. Keywords are symbols. */
export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'format' | 'symbol' | 'newline' | 'indent' | 'dedent' | 'end';
  readonly text: string;
  readonly line: number;
  /** Of a format string. */
  readonly pieces?: readonly FormatPiece[];
}

const keywords = new Set(
  'and or not in if elif else for def return break continue pass lambda True False None'.split(' '),
);

/** Of the language that this one is a part of, and of the one that it looks like. */
const reserved = new Set(
  'while class import from is del assert load try except finally raise with yield global nonlocal async await as'.split(
    ' ',
  ),
);

const spaces = / */y;
const blank = /(?: |\\\n|#[^\n]*)+/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[0-9]+)(?![\w.])/y;
const symbol = /\/\/=|[-+*%]=|\/\/|==|!=|<=|>=|[-+*%<>=()[\]{},:;]/y;

/** The words of a file. Line ends and indents are words, except in brackets. */
export function tokenise(source: string, firstLine = 1): readonly Token[] {
  const text = source.replaceAll('\r\n', '\n');
  const tokens: Token[] = [];
  const indents = [0];
  let at = 0;
  let line = firstLine;
  let brackets = 0;
  const add = (kind: Token['kind'], word: string): void => void tokens.push({ kind, text: word, line });
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const endLine = (): void => {
    if (tokens.length > 0 && tokens.at(-1)?.kind !== 'newline') add('newline', 'the end of the line');
  };
  const indent = (): void => {
    const width = take(spaces)?.length ?? 0;
    const first = text[at];
    if (first === undefined || first === '\n' || first === '#') return;
    if (width > (indents.at(-1) ?? 0)) {
      indents.push(width);
      add('indent', 'an indent');
    }
    while (width < (indents.at(-1) ?? 0)) {
      indents.pop();
      add('dedent', 'the end of a block');
    }
    if (width !== indents.at(-1))
      throw new RulesFault('The indentation matches no block.', 'Indent it like the lines above.', line);
  };
  if (text !== '') indent();
  while (at < text.length) {
    const skipped = take(blank);
    if (skipped !== undefined) {
      line += skipped.split('\\\n').length - 1;
      continue;
    }
    if (text[at] === '\n') {
      if (brackets === 0) endLine();
      at++;
      line++;
      if (brackets === 0) indent();
      continue;
    }
    const literal = scanString(text, at, line);
    if (literal !== undefined) {
      const { body, raw, format, end } = literal;
      if (format) tokens.push({ kind: 'format', text: 'a string', line, pieces: formatPieces(literal, line) });
      else add('string', decode(body, raw, line));
      line += text.slice(at, end).split('\n').length - 1;
      at = end;
      continue;
    }
    const word = take(name);
    if (word !== undefined) {
      if (reserved.has(word)) throw new RulesFault(`Rules have no \`${word}\`.`, 'Remove it.', line);
      add(keywords.has(word) ? 'symbol' : 'name', word);
      continue;
    }
    const digits = take(number);
    if (digits !== undefined) {
      add('number', checkNumber(digits, line));
      continue;
    }
    const sign = take(symbol);
    if (sign === undefined) throw oddCharacter(text, at, line);
    if ('([{'.includes(sign)) brackets++;
    if (')]}'.includes(sign)) brackets--;
    add('symbol', sign);
  }
  endLine();
  for (let open = indents.length; open > 1; open--) add('dedent', 'the end of a block');
  add('end', 'the end of the file');
  return tokens;
}

function checkNumber(digits: string, line: number): string {
  if (/^0[0-9]/.test(digits) || !Number.isSafeInteger(Number(digits))) {
    throw new RulesFault(
      `${digits} is not a valid number.`,
      'Write a whole number below 2^53, without a leading 0.',
      line,
    );
  }
  return digits;
}

function oddCharacter(text: string, at: number, line: number): RulesFault {
  const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (sign === '\t') return new RulesFault('Tabs are not allowed.', 'Use spaces.', line);
  if (/[0-9.]/.test(sign)) {
    const next = 'Rules have whole numbers and no methods: use +, % or an f-string.';
    return new RulesFault(`${JSON.stringify(sign)} cannot be used here.`, next, line);
  }
  return new RulesFault(`${JSON.stringify(sign)} cannot be used here.`, 'Remove it, or put it in quotes.', line);
}
