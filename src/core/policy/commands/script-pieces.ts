import type { ShellBlock, ShellNode, ShellScript, ShellSimpleCommand } from '../../../protocol/shell.ts';
import { wordSet, type Shell } from './command-words.ts';

/** The pieces of a script that grammar and quoting rules read alike. Undefined if its effect is uncertain. */
export function agreedScriptPieces(script: string, { body }: ShellScript, shell: Shell) {
  const written: WrittenPiece[] = [];
  if (!writeBlock(body, written)) return undefined;
  const pieces = withoutEmptyStatements(written);
  const text = JSON.stringify(pieces);
  const agrees = readByQuoting(script, shell).every(
    (second) => second.isSure && JSON.stringify(withoutEmptyStatements(second.pieces)) === text,
  );
  return agrees ? pieces : undefined;
}

/** No runnable script has more words: systems limit an argument to 128 KiB. */
const maximumWords = 70_000;
const blanks = /(?:[ \t]|\\\n)+/y;
const comment = /#[^\n]*/y;
const unquoted = /[^ \t\n|&;()<>'"\\$]+/y;

/**
 * Selects operators and quotes: bash's, those common to all shells, or zsh's. Dash, for example, reads `a &>b c` as two
 * commands, the `10` of `10>b` as a word, and a backslash in `$'…'` as a letter.
 */
type Dialect = 'bash' | 'posix' | 'zsh';
type Tokens = Readonly<Record<'joining' | 'redirecting' | 'quoted', RegExp>>;

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

const dialects: Readonly<Record<Shell, readonly Dialect[]>> = {
  bash: ['bash'],
  // May be bash under another name.
  sh: ['bash', 'posix'],
  zsh: ['zsh'],
  other: ['bash', 'posix', 'zsh'],
};

const reserved = wordSet(
  'if then elif else fi for while until do done case esac function select coproc [[ ]] in foreach end repeat',
);

/** `isSure`: this reading's rules cover the whole script. */
type QuotingReading = { readonly pieces: readonly WrittenPiece[]; readonly isSure: boolean; readonly isCut: boolean };

export function readByQuoting(script: string, shell: Shell): readonly QuotingReading[] {
  const readings = dialects[shell].map((dialect) => secondReading(script, dialect));
  return [...new Map(readings.map((reading) => [JSON.stringify(reading), reading])).values()];
}

/**
 * Reads a script by quoting rules alone. Capstan runs a script unasked only if this reading agrees with the grammar,
 * which is made for editors and accepts more than any shell. Never fails: unclear text is still split into words, to
 * search it for dangerous ones.
 */
function secondReading(script: string, dialect: Dialect): QuotingReading {
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
    if (assignments.length + words.length + redirections.length > 0) pieces.push({ assignments, words, redirections });
    words = [];
    redirections = [];
  };
  const pushOperator = (operator: string): void => {
    finish();
    pieces.push(operator as WrittenOperator);
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
      // Only some shells accept a file after it.
      isSure &&= dialect !== 'posix' || !/[<>]&$/.test(redirection) || /^\d$|^-$/.test(word.text);
      at = isClosing ? start : word.end;
      continue;
    }
    const operator = taken(joining, script, at);
    if (operator !== '') {
      // `;;` and `((` belong to control flow; `x (` to functions and globs.
      isSure &&= !(operator === ';' && script.charAt(at + 1) === ';');
      isSure &&= !(operator === '(' && (words.length > 0 || script.charAt(at + 1) === '('));
      pushOperator(operator);
      at += operator.length;
      continue;
    }
    const word = readShellWord(script, at, quoted);
    if (word.end === at) break;
    // `{name}>file` opens a descriptor.
    isSure &&= word.isWhole && !(/^\{\w+\}$/.test(word.text) && /[<>]/.test(script.charAt(word.end)));
    at = word.end;
    if (words.length === 0 && redirections.length === 0 && /^[{}!]$/.test(word.text)) pushOperator(word.text);
    else {
      isSure &&= words.length > 0 || !reserved.has(word.text);
      words.push(word.text);
    }
  }
  finish();
  const isCut = at < script.length;
  return { pieces, isSure: isSure && !isCut, isCut };
}

/** Reads up to the first unquoted character that ends a word. Continued lines are joined. */
function readShellWord(script: string, from: number, quoted: RegExp) {
  const parts: string[] = [];
  let at = from;
  for (;;) {
    const part = taken(unquoted, script, at) || taken(quoted, script, at);
    if (part === '') break;
    if (part !== '\\\n') parts.push(part);
    at += part.length;
  }
  // An unclosed quote, or a backslash at the very end.
  const isWhole = !/['"\\$]/.test(script.charAt(at));
  if (!isWhole) parts.push(script.slice(at));
  return { text: parts.join(''), end: isWhole ? at : script.length, isWhole };
}

function taken(pattern: RegExp, script: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(script)?.[0] ?? '';
}

/** Pieces of a script without control flow, in order. Blanks, comments and empty statements are dropped. */
export type WrittenPiece = WrittenCommand | WrittenOperator;
type WrittenOperator = '&&' | '||' | '|' | '|&' | ';' | '&' | '(' | ')' | '{' | '}' | '!';

/** Words and targets as written, quotes included. */
interface WrittenCommand extends Readonly<Record<'assignments' | 'words', readonly string[]>> {
  readonly redirections: readonly WrittenRedirection[];
}

type WrittenRedirection = Readonly<Record<'operator' | 'target', string>>;

function withoutEmptyStatements(pieces: readonly WrittenPiece[]): readonly WrittenPiece[] {
  const kept: WrittenPiece[] = [];
  for (const piece of pieces) {
    const last = kept.at(-1);
    const isAfterCommand = last !== undefined && (typeof last === 'object' || last === ')' || last === '}');
    if (piece === ';' && !isAfterCommand) continue;
    if ((piece === ')' || piece === '}') && last === ';') kept.pop();
    kept.push(piece);
  }
  if (kept.at(-1) === ';') kept.pop();
  return kept;
}

/** False: control flow, a heredoc, or anything else that pieces cannot show. */
function writeBlock({ parts }: ShellBlock, pieces: WrittenPiece[]): boolean {
  return parts.every(({ node, end }) => {
    const isWritten = writeNode(node, pieces);
    pieces.push(end);
    return isWritten;
  });
}

function writeNode(node: ShellNode, pieces: WrittenPiece[]): boolean {
  switch (node.kind) {
    case 'command':
      return writeCommand(node, pieces);
    case 'joined':
      if (!writeNode(node.left, pieces)) return false;
      pieces.push(node.operator);
      return writeNode(node.right, pieces);
    case 'negated':
      pieces.push('!');
      return writeNode(node.node, pieces);
    case 'subshell':
    case 'group': {
      const [open, close] = node.kind === 'subshell' ? (['(', ')'] as const) : (['{', '}'] as const);
      pieces.push(open);
      const isWritten = writeBlock(node.body, pieces);
      pieces.push(close);
      return isWritten;
    }
    case 'redirected':
      return writeNode(node.node, pieces) && writeCommand({ ...node, assignments: [], words: [] }, pieces);
    case 'function':
    case 'dynamic':
      return false;
  }
}

function writeCommand(command: Omit<ShellSimpleCommand, 'kind'>, pieces: WrittenPiece[]): boolean {
  const { assignments, words, redirections } = command;
  if (redirections.some(({ text }) => text !== undefined)) return false;
  pieces.push({
    assignments: assignments.map(({ source }) => source),
    words: words.map(({ source }) => source),
    redirections: redirections.map(({ operator, target }) => ({ operator, target: target?.source ?? '' })),
  });
  return true;
}
