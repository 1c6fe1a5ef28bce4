/** Strings of all four kinds, comments, brackets, ends of lines, and what stands between them. */
const token = /"""[^]*?"""+|'''[^]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+|["']/y;

export interface TomlValueSpan {
  /** The line on which the value ends. */
  readonly last: number;
  /** What stands behind the value on that line, with the blanks before it; empty: no comment does. */
  readonly comment: string;
}

/** How far the value reaches that begins behind the first `=` of a line. Without a parser: the caller checks. */
export function tomlValueSpan(lines: readonly string[], at: number): TomlValueSpan {
  const text = lines.slice(at).join('\n');
  const scan = new RegExp(token);
  scan.lastIndex = text.indexOf('=') + 1;
  let [depth, last, comment, blanks] = [0, at, '', ''];
  for (let found = scan.exec(text)?.[0]; found !== undefined; found = scan.exec(text)?.[0]) {
    if (found === '[' || found === '{') depth++;
    else if (found === ']' || found === '}') depth--;
    else if (found.startsWith('#')) comment = blanks + found;
    else if (found === '\n' && depth <= 0) break;
    last += found.split('\n').length - 1;
    if (found === '\n') comment = '';
    blanks = /[ \t]*$/.exec(found)?.[0] ?? '';
  }
  return { last, comment };
}
