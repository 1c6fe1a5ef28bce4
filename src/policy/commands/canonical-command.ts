import type { ShellReader } from '../../ports/shell-reader.ts';
import { joinLines } from './join-lines.ts';
import { literalWord } from './literal-word.ts';
import { programName } from './program-name.ts';
import { readTwice } from './read-twice.ts';
import { isFamiliarShell, shellCall, type ShellCall } from './shell-call.ts';
import type { WrittenPiece } from './written-script.ts';

/** Scripts that see how they are written: their own text, the number of a line, the last word. */
const seesItself = /LINENO|BASH|\$_|\$-|\$\{[_-]/;
/** As the first word these mean something else when they are quoted. */
const keyword = /^(?:time|coproc|noglob|nocorrect|[^\w./-].*)$/;

/**
 * The same text for commands that do the same and differ in how they are written: blanks, quotes, comments, the folder
 * of a shell of the system, and whether it is a login shell. Never the same for commands that do different things.
 */
export function canonicalCommand(argv: readonly string[], reader: ShellReader): string {
  const call = shellCall(argv);
  if (call === undefined || !call.isOrdinary || call.shell === 'other' || call.script === undefined) {
    return JSON.stringify({ argv });
  }
  const shell = isFamiliarShell(call.program, undefined) ? programName(call.program) : call.program;
  const script = canonicalScript(call.script, call.shell, reader);
  return JSON.stringify({ shell, ...script, parameters: call.parameters });
}

function canonicalScript(script: string, shell: ShellCall['shell'], reader: ShellReader) {
  const lines = joinLines(script);
  const read = lines.isOdd ? undefined : reader.read(lines.script);
  if (read === undefined) return { script };
  const pieces = readTwice(lines.script, read, shell);
  if (pieces !== undefined && !pieces.some(isAboutItself))
    return { pieces: pieces.map((piece) => canonicalPiece(piece, shell)) };
  // The end of the last line is no part of what a script does, unless the line before it is to go on.
  return { script: /[^\\\n]\n+$/.test(script) ? script.replace(/\n+$/, '') : script };
}

function isAboutItself(piece: WrittenPiece): boolean {
  if (typeof piece === 'string') return false;
  const { assignments, words, redirections } = piece;
  const program = literalWord(words[0] ?? '')?.text;
  return [...assignments, ...words, ...redirections.map(({ target }) => target)].some(
    (word) => seesItself.test(word) && (literalWord(word) === undefined || program === 'eval' || program === 'trap'),
  );
}

function canonicalPiece(piece: WrittenPiece, shell: ShellCall['shell']) {
  if (typeof piece === 'string') return piece;
  const { assignments, words, redirections } = piece;
  return {
    assignments: assignments.map((word) => canonicalWord(word, shell)),
    words: words.map((word, at) => (at === 0 && isKeyword(word, shell) ? { word } : canonicalWord(word, shell))),
    redirections: redirections.map(({ operator, target }) => [operator, canonicalWord(target, shell)]),
  };
}

/** Its text, or where that is not known the word as it is written. */
function canonicalWord(word: string, shell: ShellCall['shell']) {
  const literal = literalWord(word);
  const isOther = (literal?.only === 'bash' && shell !== 'bash') || (literal?.only === 'not-zsh' && shell === 'zsh');
  return literal === undefined || isOther ? { word } : literal.text;
}

/** In zsh any name may be an alias, and quotes keep it from being one. */
function isKeyword(word: string, shell: ShellCall['shell']): boolean {
  return shell === 'zsh' || keyword.test(literalWord(word)?.text ?? '');
}
