/** A word whose text is known before it runs. */
export interface LiteralWord {
  readonly text: string;
  /** Other shells may read it differently: `$'…'` is bash's, and zsh may be set to expand `^`, `#`, `~` and braces. */
  readonly only?: 'bash' | 'not-zsh';
}

const expanding = '*?[`';
const ending = ' \t\n|&;()<>\0';
const escapedInQuotes = '$`"\\';
const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

const numericEscape = /\\(?:([0-7]{1,3})|x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8}))/y;

/** The word as the program gets it. Undefined: part of it is expanded, or it is not one word. */
export function parseLiteralWord(source: string): LiteralWord | undefined {
  // An unclosed bracket is no wildcard. Other contents of `((` are not words.
  if (source === '[' || source === '[[' || source === '((') return { text: source, only: 'not-zsh' };
  let text = '';
  let only: LiteralWord['only'];
  let hasBraces = false;
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    const next = source.charAt(at + 1);
    if (char === "'") {
      const end = source.indexOf("'", at + 1);
      if (end < 0) return undefined;
      text += source.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"' || (char === '$' && /["']/.test(next))) {
      if (char === '$') only = 'bash';
      const read = char === '"' || next === '"' ? doubleQuoted : ansiQuoted;
      const quoted = read(source, char === '"' ? at + 1 : at + 2);
      if (quoted === undefined) return undefined;
      text += quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      if (next === '') return undefined;
      if (next !== '\n') text += next;
      at += 2;
    } else {
      if (expanding.includes(char) || ending.includes(char)) return undefined;
      if (char === '$' && next !== '') return undefined;
      if (char === '~' && (at === 0 || /[:=]/.test(source.charAt(at - 1)))) return undefined;
      if (char === '{' && next === '}') {
        text += '{}';
        at += 2;
        continue;
      }
      hasBraces ||= char === '{' || char === '}';
      if ('^#~{}'.includes(char) || (char === '=' && at === 0)) only ??= 'not-zsh';
      text += char;
      at += 1;
    }
  }
  return hasBraces && /,|\.\./.test(source) ? undefined : { text, only };
}

/** `end`: the place after the closing quote. */
type Quoted = { readonly text: string; readonly end: number };

/** Undefined if the quote is not closed, or if a shell reads it (`isExpanded`) and would expand part of it. */
function doubleQuoted(source: string, from: number, isExpanded = true): Quoted | undefined {
  let text = '';
  for (let at = from; at < source.length; at += 1) {
    const char = source.charAt(at);
    const next = source.charAt(at + 1);
    if (char === '"') return { text, end: at + 1 };
    if (isExpanded && (char === '`' || char === '\0')) return undefined;
    // A dollar before a blank or the end is literal.
    if (isExpanded && char === '$' && !/["\s]/.test(next)) return undefined;
    if (char === '\\' && next === '\n') at += 1;
    else if (char === '\\' && next !== '' && escapedInQuotes.includes(next)) {
      text += next;
      at += 1;
    } else text += char;
  }
  return undefined;
}

function ansiQuoted(source: string, from: number): Quoted | undefined {
  let text = '';
  let at = from;
  while (at < source.length) {
    const char = source.charAt(at);
    if (char === "'") return { text, end: at + 1 };
    const simple = char === '\\' ? simpleEscapes[source.charAt(at + 1)] : char;
    if (simple !== undefined) {
      text += simple;
      at += char === '\\' ? 2 : 1;
      continue;
    }
    numericEscape.lastIndex = at;
    const [all, octal, ...hex] = numericEscape.exec(source) ?? [''];
    const code = octal === undefined ? Number.parseInt(hex.join(''), 16) : Number.parseInt(octal, 8);
    // A higher byte is only part of a letter, and a zero ends the text.
    if (!(code > 0 && code < 0x80)) return undefined;
    text += String.fromCharCode(code);
    at += all.length;
  }
  return undefined;
}

const kept = /\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^\n]|[^\\'"$#]+|[^]/y;
const comment = /#[^\n]*/y;
const heredoc = /(?<!<)<<(?!<)/;

/**
 * Joins lines that end in a backslash, as shells do before looking for operators: `5\⏎>a` opens descriptor 5. Quotes
 * and comments stay unchanged, and so does a script with a heredoc, in which lines may end a text.
 * `isOdd`: a line continues within or right before an operator or bash quote, and not all shells join those.
 */
export function joinContinuedLines(script: string): { readonly script: string; readonly isOdd: boolean } {
  if (!script.includes('\\\n')) return { script, isOdd: false };
  if (heredoc.test(script)) return { script, isOdd: true };
  const parts: string[] = [];
  let isOdd = false;
  let at = 0;
  while (at < script.length) {
    const last = parts.at(-1) ?? '\n';
    // An escaped blank is part of a word.
    const isBehindBlank = /[ \t\n]$/.test(last) && !last.startsWith('\\');
    if (script.startsWith('\\\n', at)) {
      at += 2;
      const next = script.startsWith('\\\n', at) ? '' : script.charAt(at);
      isOdd ||= last.endsWith('$') || (!isBehindBlank && /[&|;<>()]/.test(next));
      continue;
    }
    const begins = isBehindBlank || (/[|&;()<>]$/.test(last) && !last.startsWith('\\'));
    const pattern = script.charAt(at) === '#' && begins ? comment : kept;
    pattern.lastIndex = at;
    const [part = ''] = pattern.exec(script) ?? [];
    parts.push(part);
    at += part.length;
  }
  const joined = parts.join('');
  return heredoc.test(joined) ? { script, isOdd: true } : { script: joined, isOdd };
}

/** Splits words by a POSIX shell's quotes, backslashes and comments. Undefined: a quote or backslash is left open. */
export function splitShellWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (' \t\n'.includes(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (sign === '#' && word === undefined) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end - 1;
    } else if (sign === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return undefined;
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (sign === '"') {
      const quoted = doubleQuoted(text, at + 1, false);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      at = quoted.end - 1;
    } else if (sign === '\\') {
      const next = text[++at];
      if (next === undefined) return undefined;
      if (next !== '\n') word = (word ?? '') + next;
    } else word = (word ?? '') + sign;
  }
  return word === undefined ? words : [...words, word];
}
