import { RulesFault } from './rules-fault.ts';

/** A string as it is written. */
export interface StringLiteral {
  /** Where the text goes on behind it. */
  readonly end: number;
  /** Between the quotes. */
  readonly body: string;
  /** `r"…"`: backslashes are characters. */
  readonly raw: boolean;
  /** `f"…"`: expressions in braces. */
  readonly format: boolean;
}

const opening = /(r|f|fr)?("""|'''|"|')/y;

/** The string that begins at a place; undefined if none does. */
export function scanString(text: string, start: number, line: number): StringLiteral | undefined {
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
  throw new RulesFault('A string is not closed.', `Close it with ${quote}.`, line);
}

/** A piece of a format string: text, or the source of an expression and how it is written. */
export type FormatPiece = string | { readonly source: string; readonly as: 'str' | 'repr' };

export function formatPieces({ body, raw }: StringLiteral, line: number): readonly FormatPiece[] {
  const pieces: FormatPiece[] = [];
  let from = 0;
  const text = (end: number): string => decode(body.slice(from, end), raw, line);
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
    if (sign === '}' || end === -1)
      throw new RulesFault('A brace has no partner.', 'Write {{ or }} for a brace.', line);
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

const plainEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '\n': '',
};

const escape = /\\(?:x([^]{0,2})|u([^]{0,4})|U([^]{0,8})|([0-7]{1,3})|([^]))/g;

/** The text that a string stands for. An unknown escape stands for itself. */
export function decode(body: string, raw: boolean, line: number): string {
  if (raw || !body.includes('\\')) return body;
  return body.replace(escape, (whole, x?: string, u?: string, wide?: string, octal?: string, plain?: string) => {
    if (plain !== undefined) return plainEscapes[plain] ?? whole;
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const digits = x ?? u ?? wide ?? '';
    const wanted = x !== undefined ? 2 : u !== undefined ? 4 : 8;
    const code = /^[0-9a-fA-F]+$/.test(digits) && digits.length === wanted ? Number.parseInt(digits, 16) : -1;
    if (code < 0 || code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)) {
      throw new RulesFault('An escape in a string names no character.', 'Write \\xNN, \\uNNNN or \\UNNNNNNNN.', line);
    }
    return String.fromCodePoint(code);
  });
}
