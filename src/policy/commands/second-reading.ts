import type { WrittenOperator, WrittenPiece, WrittenRedirection } from './written-script.ts';

/** No script that can be run has more words: systems take no argument of more than 128 KiB. */
const maximumWords = 70_000;
const blanks = /(?:[ \t]|\\\n)+/y;
const comment = /#[^\n]*/y;
const joining = /&&|\|\||\|&|[;|&()]/y;
const redirecting = /\d*[<>]&-|&>>|&>|\d*(?:<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)/y;
const unquoted = /[^ \t\n|&;()<>'"\\$]+/y;
const quoted = /\\[^]|\$'(?:[^'\\]|\\[^])*'|'[^']*'|\$?"(?:[^"\\]|\\[^])*"|\$(?!['"])/y;
const reserved = new Set(
  'if then elif else fi for while until do done case esac function select coproc [[ ]] in foreach end repeat'.split(
    ' ',
  ),
);

export interface SecondReading {
  readonly pieces: readonly WrittenPiece[];
  /** Nothing in it that this reading has no rules for. */
  readonly isSure: boolean;
  /** It has more words than are read. */
  readonly isCut: boolean;
}

/**
 * Reads a script by the rules of quoting alone, without a grammar. What runs unasked must be read alike both ways: the
 * grammar was made for editors, and is looser than any shell. Never fails: what is not understood is cut into words all
 * the same, so that dangerous ones can be looked for.
 */
export function secondReading(script: string): SecondReading {
  const pieces: WrittenPiece[] = [];
  let words: string[] = [];
  let redirections: WrittenRedirection[] = [];
  let isSure = true;
  let count = 0;
  let at = 0;

  const finish = (): void => {
    const first = words.findIndex((word) => !/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word));
    const assignments = words.splice(0, first < 0 ? words.length : first);
    if (assignments.length + words.length + redirections.length > 0) {
      pieces.push({ assignments, words, redirections });
    }
    words = [];
    redirections = [];
  };
  const pushOperator = (operator: WrittenOperator): void => {
    finish();
    pieces.push(operator);
  };

  while (at < script.length && count < maximumWords) {
    at += taken(blanks, script, at).length;
    at += taken(comment, script, at).length;
    if (script.charAt(at) === '\n') {
      if (pieces.at(-1) !== ';' || words.length + redirections.length > 0) pushOperator(';');
      at += 1;
      continue;
    }
    count += 1;
    const redirection = taken(redirecting, script, at);
    if (redirection !== '') {
      const start = at + redirection.length;
      const isClosing = /[<>]&-$/.test(redirection);
      const word = readShellWord(script, start + taken(blanks, script, start).length);
      redirections.push({ operator: redirection, target: isClosing ? '' : word.text });
      // A heredoc has its text elsewhere, and a parenthesis begins a substitution.
      isSure &&= isClosing || (word.isWhole && word.text !== '' && !/^\d*<<-?$/.test(redirection));
      at = isClosing ? start : word.end;
      continue;
    }
    const operator = taken(joining, script, at);
    if (operator !== '') {
      // `;;` and `((` belong to control flow; `x (` to functions and globs.
      isSure &&= !(operator === ';' && script.charAt(at + 1) === ';');
      isSure &&= !(operator === '(' && (words.length > 0 || script.charAt(at + 1) === '('));
      pushOperator(operator as WrittenOperator);
      at += operator.length;
      continue;
    }
    const word = readShellWord(script, at);
    if (word.end === at) break;
    // `{name}>file` opens a descriptor.
    isSure &&= word.isWhole && !(/^\{\w+\}$/.test(word.text) && /[<>]/.test(script.charAt(word.end)));
    at = word.end;
    if (words.length === 0 && redirections.length === 0 && /^[{}!]$/.test(word.text)) {
      pushOperator(word.text as WrittenOperator);
    } else {
      isSure &&= words.length > 0 || !reserved.has(word.text);
      words.push(word.text);
    }
  }
  finish();
  const isCut = at < script.length;
  return { pieces, isSure: isSure && !isCut, isCut };
}

/** Up to the first character that ends a word outside of quotes. Continued lines leave no trace. */
function readShellWord(script: string, from: number) {
  const parts: string[] = [];
  let at = from;
  for (;;) {
    const part = taken(unquoted, script, at) || taken(quoted, script, at);
    if (part === '') break;
    if (part !== '\\\n') parts.push(part);
    at += part.length;
  }
  // A quote that is never closed, or a backslash at the very end.
  const isWhole = !/['"\\$]/.test(script.charAt(at));
  if (!isWhole) parts.push(script.slice(at));
  return { text: parts.join(''), end: isWhole ? at : script.length, isWhole };
}

/** What the pattern matches right there. */
function taken(pattern: RegExp, script: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(script)?.[0] ?? '';
}
