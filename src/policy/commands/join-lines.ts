export interface JoinedLines {
  readonly script: string;
  /** A line goes on within or right before an operator or a quote of bash: not all shells join those. */
  readonly isOdd: boolean;
}

/** What is kept as it is written. */
const kept = /\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^\n]|[^\\'"$#]+|[^]/y;
const comment = /#[^\n]*/y;
const heredoc = /(?<!<)<<(?!<)/;

/**
 * Joins lines that end in a backslash, as shells do before they look for operators: `5\⏎>a` opens descriptor 5. Quotes
 * and comments stay as they are, and so does a script with a heredoc, in which lines may end a text.
 */
export function joinLines(script: string): JoinedLines {
  if (!script.includes('\\\n')) return { script, isOdd: false };
  if (heredoc.test(script)) return { script, isOdd: true };
  const parts: string[] = [];
  let isOdd = false;
  let at = 0;
  while (at < script.length) {
    const last = parts.at(-1) ?? '\n';
    // An escaped blank is a letter of a word.
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
