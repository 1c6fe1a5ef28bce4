import type { ShellCall } from './shell-call.ts';
import type { WrittenOperator, WrittenPiece, WrittenRedirection } from './written-script.ts';

/** No script that can be run has more words: systems take no argument of more than 128 KiB. */
const maximumWords = 70_000;
const blanks = /(?:[ \t]|\\\n)+/y;
const comment = /#[^\n]*/y;
const unquoted = /[^ \t\n|&;()<>'"\\$]+/y;

/**
 * Whose operators and quotes hold: those of bash, those that every shell has, or those of zsh. To dash `a &>b c` is two
 * commands, `10>b` begins with a word, and a backslash in `$'…'` is a letter.
 */
type Dialect = 'bash' | 'posix' | 'zsh';

interface Tokens {
  readonly joining: RegExp;
  readonly redirecting: RegExp;
  readonly quoted: RegExp;
}

const tokensOfBash: Tokens = {
  joining: /&&|\|\||\|&|[;|&()]/y,
  redirecting: /\d*[<>]&-|&>>|&>|\d*(?:<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)/y,
  quoted: /\\[^]|\$'(?:[^'\\]|\\[^])*'|'[^']*'|\$?"(?:[^"\\]|\\[^])*"|\$(?!['"])/y,
};
const tokens: Readonly<Record<Dialect, Tokens>> = {
  bash: tokensOfBash,
  posix: {
    joining: /&&|\|\||[;|&()]/y,
    redirecting: /\d?(?:[<>]&-|<<-|<<|<>|<&|<|>>|>&|>\||>)/y,
    quoted: /\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*"|\$/y,
  },
  // `2&>a` is one redirection, and so is a single digit alone. `<1-9>` is a wildcard.
  zsh: { ...tokensOfBash, redirecting: /\d?(?:[<>]&-|&>>|&>|<<<|<<-|<<|<>|<&|<(?!\d*-\d*>)|>>|>&|>\||>)/y },
};

const dialects: Readonly<Record<ShellCall['shell'], readonly Dialect[]>> = {
  bash: ['bash'],
  // It may be bash under another name.
  sh: ['bash', 'posix'],
  zsh: ['zsh'],
  other: ['bash', 'posix', 'zsh'],
};

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

/** A reading for each way in which the shell may read the script; alike ones once. */
export function secondReadings(script: string, shell: ShellCall['shell']): readonly SecondReading[] {
  const readings = new Map(
    dialects[shell].map((dialect) => {
      const reading = secondReading(script, dialect);
      return [JSON.stringify(reading), reading] as const;
    }),
  );
  return [...readings.values()];
}

/**
 * Reads a script by the rules of quoting alone, without a grammar. What runs unasked must be read alike both ways: the
 * grammar was made for editors, and is looser than any shell. Never fails: what is not understood is cut into words all
 * the same, so that dangerous ones can be looked for.
 */
function secondReading(script: string, dialect: Dialect): SecondReading {
  const { joining, redirecting, quoted } = tokens[dialect];
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
      const word = readShellWord(script, start + taken(blanks, script, start).length, quoted);
      redirections.push({ operator: redirection, target: isClosing ? '' : word.text });
      // A heredoc has its text elsewhere, and a parenthesis begins a substitution.
      isSure &&= isClosing || (word.isWhole && word.text !== '' && !/^\d*<<-?$/.test(redirection));
      // Only some shells take a file behind it.
      isSure &&= dialect !== 'posix' || !/[<>]&$/.test(redirection) || /^\d$|^-$/.test(word.text);
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
    const word = readShellWord(script, at, quoted);
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
function readShellWord(script: string, from: number, quoted: RegExp) {
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
