import { throwRulesFault } from './faults-and-limits.ts';

/** Keywords are symbols. */
export interface RulesToken {
  readonly kind: 'name' | 'number' | 'string' | 'format' | 'symbol' | 'newline' | 'indent' | 'dedent' | 'end';
  readonly text: string;
  readonly line: number;
  /** For format strings. */
  readonly pieces?: readonly FormatPiece[];
}

const keywords = new Set(
  'and or not in if elif else for def return break continue pass lambda True False None'.split(' '),
);

/** Reserved words of Starlark, of which this language is a part, and of Python, which it resembles. */
const reserved = new Set(
  `while class import from is del assert load try except finally raise with yield global nonlocal async await
  as`.split(/\s+/),
);

const spaces = / */y;
const blank = /(?: |\\\n|#[^\n]*)+/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[0-9]+)(?![\w.])/y;
const symbol = /\/\/=|[-+*%]=|\/\/|==|!=|<=|>=|[-+*%<>=()[\]{},:;]/y;

/** The tokens of a file. Line ends and indents are tokens, except in brackets. */
export function tokeniseRules(source: string, firstLine = 1): readonly RulesToken[] {
  const text = source.replaceAll('\r\n', '\n');
  const tokens: RulesToken[] = [];
  const indents = [0];
  let at = 0;
  let line = firstLine;
  let brackets = 0;
  const add = (kind: RulesToken['kind'], word: string): void => void tokens.push({ kind, text: word, line });
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
      throwRulesFault('The indentation matches no block.', 'Indent it like the lines above.', line);
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
      else add('string', decodeString(body, raw, line));
      line += text.slice(at, end).split('\n').length - 1;
      at = end;
      continue;
    }
    const word = take(name);
    if (word !== undefined) {
      if (reserved.has(word)) throwRulesFault(`Rules have no \`${word}\`.`, 'Remove it.', line);
      add(keywords.has(word) ? 'symbol' : 'name', word);
      continue;
    }
    const digits = take(number);
    if (digits !== undefined) {
      add('number', checkNumber(digits, line));
      continue;
    }
    const sign = take(symbol);
    if (sign === undefined) failOnCharacter(String.fromCodePoint(text.codePointAt(at) ?? 0), line);
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
  const isValid = !/^0[0-9]/.test(digits) && Number.isSafeInteger(Number(digits));
  if (!isValid)
    throwRulesFault(`${digits} is not a valid number.`, 'Write a whole number below 2^53, without a leading 0.', line);
  return digits;
}

function failOnCharacter(sign: string, line: number): never {
  if (sign === '\t') throwRulesFault('Tabs are not allowed.', 'Use spaces.', line);
  const next = /[0-9.]/.test(sign)
    ? 'Rules have whole numbers and no methods: use +, % or an f-string.'
    : 'Remove it, or put it in quotes.';
  throwRulesFault(`${JSON.stringify(sign)} cannot be used here.`, next, line);
}

export interface StringLiteral {
  /** The place after it. */
  readonly end: number;
  readonly body: string;
  /** `r"…"`: backslashes are characters. */
  readonly raw: boolean;
  /** `f"…"`: expressions in braces. */
  readonly format: boolean;
}

const opening = /(r|f|fr)?("""|'''|"|')/y;

function scanString(text: string, start: number, line: number): StringLiteral | undefined {
  opening.lastIndex = start;
  const [whole, prefix = '', quote] = opening.exec(text) ?? [];
  if (whole === undefined || quote === undefined) return undefined;
  const from = start + whole.length;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(quote, at)) {
      const [raw, format] = [prefix.includes('r'), prefix.includes('f')];
      return { end: at + quote.length, body: text.slice(from, at), raw, format };
    } else if (text[at] === '\n' && quote.length === 1) break;
  }
  throwRulesFault('A string is not closed.', `Close it with ${quote}.`, line);
}

export type FormatPiece = string | { readonly source: string; readonly as: 'str' | 'repr' };

function formatPieces({ body, raw }: StringLiteral, line: number): readonly FormatPiece[] {
  const pieces: FormatPiece[] = [];
  let from = 0;
  const text = (end: number): string => decodeString(body.slice(from, end), raw, line);
  for (let at = 0; at < body.length; at++) {
    const sign = body[at];
    if (sign === '\\' && !raw) at++;
    if (sign !== '{' && sign !== '}') continue;
    if (body[at + 1] === sign) {
      pieces.push(text(at + 1));
      from = ++at + 1;
      continue;
    }
    const end = body.indexOf('}', at);
    if (sign === '}' || end === -1) throwRulesFault('A brace has no partner.', 'Write {{ or }} for a brace.', line);
    pieces.push(text(at), expressionPiece(body.slice(at + 1, end)));
    at = end;
    from = end + 1;
  }
  return [...pieces, text(body.length)].filter((piece) => piece !== '');
}

function expressionPiece(inner: string): FormatPiece {
  const mark = /^([^]*)!([rs])\s*$/.exec(inner);
  return { source: mark?.[1] ?? inner, as: mark?.[2] === 'r' ? 'repr' : 'str' };
}

const letterEscapes = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
const plainEscapes: Readonly<Record<string, string>> = { ...letterEscapes, '\\': '\\', '"': '"', "'": "'", '\n': '' };
const escape = /\\(?:x([^]{0,2})|u([^]{0,4})|U([^]{0,8})|([0-7]{1,3})|([^]))/g;

/** Decodes a string's escapes; unknown ones stay unchanged. */
function decodeString(body: string, raw: boolean, line: number): string {
  if (raw || !body.includes('\\')) return body;
  return body.replace(escape, (whole, x?: string, u?: string, wide?: string, octal?: string, plain?: string) => {
    if (plain !== undefined) return plainEscapes[plain] ?? whole;
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const digits = x ?? u ?? wide ?? '';
    const wanted = x !== undefined ? 2 : u !== undefined ? 4 : 8;
    const code = /^[0-9a-fA-F]+$/.test(digits) && digits.length === wanted ? Number.parseInt(digits, 16) : -1;
    if (code < 0 || code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff))
      throwRulesFault('An escape in a string names no character.', 'Write \\xNN, \\uNNNN or \\UNNNNNNNN.', line);
    return String.fromCodePoint(code);
  });
}
