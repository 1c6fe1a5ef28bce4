import type { WrittenOperator, WrittenPiece, WrittenRedirection } from './written-script.ts';

const joining = ['&&', '||', '|&', ';', '|', '&', '(', ')'] as const;
const redirecting = ['&>>', '&>', '<<<', '<<-', '<<', '<>', '<&', '<', '>>', '>&', '>|', '>'] as const;
const closing = /^\d*[<>]&-/;
const reserved = new Set<string>(
  'if then elif else fi for while until do done case esac function select coproc [[ ]] in foreach end repeat'.split(
    ' ',
  ),
);

export interface SecondReading {
  readonly pieces: readonly WrittenPiece[];
  /** Nothing in it that this reading has no rules for. */
  readonly isSure: boolean;
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

  while (at < script.length) {
    const char = script.charAt(at);
    if (char === ' ' || char === '\t') at += 1;
    else if (script.startsWith('\\\n', at)) at += 2;
    else if (char === '\n') {
      pushOperator(';');
      at += 1;
    } else if (char === '#') {
      const end = script.indexOf('\n', at);
      at = end < 0 ? script.length : end;
    } else {
      const redirection = readRedirection(script, at);
      if (redirection !== undefined) {
        redirections.push(redirection.value);
        isSure &&= redirection.isSure;
        at = redirection.end;
        continue;
      }
      const operator = joining.find((text) => script.startsWith(text, at));
      if (operator !== undefined) {
        // `;;` and `((` belong to control flow; `x (` to functions and globs.
        isSure &&= !(operator === ';' && script.charAt(at + 1) === ';');
        isSure &&= !(operator === '(' && (words.length > 0 || script.charAt(at + 1) === '('));
        pushOperator(operator);
        at += operator.length;
        continue;
      }
      const word = readShellWord(script, at);
      // `{name}>file` opens a descriptor.
      isSure &&= word.isWhole && !(/^\{\w+\}$/.test(word.text) && /[<>]/.test(script.charAt(word.end)));
      at = word.end;
      if (words.length === 0 && redirections.length === 0 && /^[{}!]$/.test(word.text))
        pushOperator(word.text as '{' | '}' | '!');
      else {
        isSure &&= words.length > 0 || !reserved.has(word.text);
        words.push(word.text);
      }
    }
  }
  finish();
  return { pieces, isSure };
}

function readRedirection(script: string, from: number) {
  const rest = script.slice(from, from + 24);
  const closed = closing.exec(rest)?.[0];
  if (closed !== undefined) {
    return { value: { operator: closed, target: '' }, end: from + closed.length, isSure: true };
  }
  const descriptor = /^\d*(?=[<>])/.exec(rest)?.[0] ?? '';
  const operator = redirecting.find((text) => script.startsWith(text, from + descriptor.length));
  if (operator === undefined) return undefined;
  let at = from + descriptor.length + operator.length;
  const isSubstitution = script.charAt(at) === '(';
  while (/[ \t]/.test(script.charAt(at)) || script.startsWith('\\\n', at)) at += script.charAt(at) === '\\' ? 2 : 1;
  const word = readShellWord(script, at);
  return {
    value: { operator: descriptor + operator, target: word.text },
    end: word.end,
    isSure: word.isWhole && word.text !== '' && !operator.startsWith('<<-') && operator !== '<<' && !isSubstitution,
  };
}

/** Up to the first character that ends a word outside of quotes. Continued lines leave no trace. */
function readShellWord(script: string, from: number) {
  let text = '';
  let at = from;
  while (at < script.length) {
    const char = script.charAt(at);
    if (' \t\n|&;()<>'.includes(char)) break;
    const end = quotedEnd(script, at);
    if (end === undefined) return { text: text + script.slice(at), end: script.length, isWhole: false };
    const piece = script.slice(at, end);
    if (piece !== '\\\n') text += piece;
    at = end;
  }
  return { text, end: at, isWhole: true };
}

/** Where the quoted part, the escape or the character ends. Undefined: its quote is never closed. */
function quotedEnd(script: string, at: number): number | undefined {
  const char = script.charAt(at);
  if (char === '\\') return Math.min(at + 2, script.length);
  const isAnsi = char === '$' && script.charAt(at + 1) === "'";
  if (char === "'" && !isAnsi) {
    const end = script.indexOf("'", at + 1);
    return end < 0 ? undefined : end + 1;
  }
  if (char !== '"' && !isAnsi) return at + 1;
  const quote = isAnsi ? "'" : '"';
  for (let index = isAnsi ? at + 2 : at + 1; index < script.length; index += 1) {
    if (script.charAt(index) === '\\') index += 1;
    else if (script.charAt(index) === quote) return index + 1;
  }
  return undefined;
}
