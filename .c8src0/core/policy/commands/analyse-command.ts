import type { ShellReader } from '../../../ports/commands.ts';
import { isFamiliarShell, isShell, programName, shellCall, type ShellCall } from './command-words.ts';
import { type DangerKind, dangerousNames, dangerousSubcommands } from './dangerous-commands.ts';
import { evaluateCommand, maximumWrappers, noFindings, type UnknownReason } from './evaluate-command.ts';
import { evaluateScript } from './evaluate-script.ts';
import { agreedScriptPieces, type WrittenPiece } from './script-pieces.ts';
import { joinContinuedLines, parseLiteralWord } from './shell-quoting.ts';
import { wrapperNames } from './wrapper-programs.ts';

const device = /\/dev\/|\/proc\//;
/** Programs that are dangerous only together with one of these words. */
const companions: Readonly<Record<string, RegExp>> = {
  cp: device,
  find: /-delete/,
  git: new RegExp(`\\b(?:${dangerousSubcommands.join('|')})\\b|alias`, 'i'),
  hash: /-\w*p/,
  install: device,
  kill: /-1/,
  mv: device,
  rsync: /\/dev\/|\/proc\/|--del|--remove-source/,
  tee: device,
};

/** True if `analyseCommand` could find danger. Takes microseconds, without a parser. Ignores quotes and escapes. */
export function mayBeDangerous(argv: readonly string[]): boolean {
  const all = argv.join(' ');
  // A long command may exceed what can be examined, and is worth the parser's time.
  if (all.length > 4_000) return true;
  // Letters may be written as numbers.
  if (/\$['"]/.test(all)) return true;
  const text = all.replaceAll(/['"]/g, '');
  if (!text.includes('\\')) return hasDangerousWord(text);
  // A continued line may split a name.
  if (text.includes('\\\n')) return true;
  return hasDangerousWord(text.replaceAll('\\', '')) || hasDangerousWord(text.replaceAll('\\', ' '));
}

function hasDangerousWord(text: string): boolean {
  // Redirections to devices, and functions that may start themselves.
  if (/>[&|>]*\s*\/(?:dev\/(?!null|std|tty|fd)|proc\/sysrq)|\(\s*\)|\bfunction\b/.test(text)) return true;
  // `env -Srm` has the first word of its script in an option.
  if (/env\b[^]*\s-\w*S\w/.test(text)) return true;
  let wrappers = 0;
  for (const [word] of text.matchAll(/[\w.-]+/g)) {
    const name = word.toLowerCase().replace(/\.\w+$/, '');
    if (dangerousNames.has(name) && (companions[name]?.test(text) ?? true)) return true;
    if (/^(?:mkfs|newfs)/.test(name)) return true;
    if (wrapperNames.has(name) || isShell(name)) wrappers += 1;
  }
  return wrappers > maximumWrappers;
}

export interface CommandAnalysis {
  /** Words of every simple command, in order, without wrappers. Undefined: part of it is known only at run time. */
  readonly commands: readonly (readonly string[])[] | undefined;
  /**
   * Beginnings of all commands found, each up to its first unknown word, also in unknown scripts and wrappers. A shell
   * with its script is left out. For rules that ask or forbid; rules that allow use `commands`.
   */
  readonly seen: readonly (readonly string[])[];
  /** Programs that start its commands: wrappers such as `timeout`, and shells in the script. Absent: none. */
  readonly starters?: readonly string[];
  readonly whyUnknown?: UnknownReason;
  /** Some words are known only at run time, and may differ next time. Absent: all are known. */
  readonly hasOpenWords?: true;
  /** The first shell builtin that may execute its words or a file. Absent: none. */
  readonly evaluating?: string;
  /** All of it is known to change nothing, whatever words are added to it. */
  readonly isReadOnly: boolean;
  /** A wrapper or an inner shell starts one of the commands, or it has a variable of its own. Absent: none does. */
  readonly isIndirect?: true;
  readonly danger?: { readonly kind: DangerKind; readonly words: readonly string[] };
}

/** `shell`: the configured shell as it is called. Other shells outside system folders are unfamiliar. */
export function analyseCommand(
  argv: readonly string[],
  reader: ShellReader,
  { shell }: { readonly shell?: string } = {},
): CommandAnalysis {
  const found = noFindings();
  const depth = shellCall(argv) === undefined ? 0 : -1;
  const setting = { reader, depth, configured: shell, budget: { unreadable: 6 }, evaluateScript };
  evaluateCommand(argv, setting, found);
  const commands = found.commands.length > 0 ? found.commands : [[...argv]];
  const isElsewhere = commands.some(([name = '']) => /^(?:cd|pushd|popd)$/.test(name));
  const isReadOnly = found.isReadOnly && found.commands.length > 0;
  return {
    commands: found.isKnown ? commands : undefined,
    seen: found.seen,
    // Another repository's configuration may name programs.
    isReadOnly: isReadOnly && !(isElsewhere && commands.some(([name]) => name === 'git')),
    starters: found.starters.length > 0 ? [...new Set(found.starters)] : undefined,
    whyUnknown: found.isKnown ? undefined : found.whyUnknown,
    hasOpenWords: found.hasOpenWords || undefined,
    evaluating: found.evaluating,
    isIndirect: found.isIndirect || undefined,
    danger: found.danger,
  };
}

export interface CommandReader {
  /** Takes microseconds; false if reading would find no danger. */
  mayBeDangerous(argv: readonly string[]): boolean;
  /** `canonical` is the same for every spelling of the command. Never rejects. */
  read(argv: readonly string[]): Promise<{ readonly analysis: CommandAnalysis; readonly canonical: string }>;
}

/** For scripts that can read their own text: source, line number, last word. */
const seesItself = /LINENO|BASH|\$_|\$-|\$\{[_-]/;
/** These mean something else when quoted as the first word. */
const keyword = /^(?:time|coproc|noglob|nocorrect|[^\w./-].*)$/;

/**
 * One text for commands that do the same but differ in blanks, quotes, comments, a system shell's folder, or login
 * shell. Commands that do different things never share one: session grants rest on it.
 */
export function canonicalCommand(argv: readonly string[], reader: ShellReader): string {
  const { program = '', shell = 'other', script, parameters, isOrdinary } = shellCall(argv) ?? {};
  if (isOrdinary !== true || shell === 'other' || script === undefined) return JSON.stringify({ argv });
  const named = isFamiliarShell(program, undefined) ? programName(program) : program;
  return JSON.stringify({ shell: named, ...canonicalScript(script, shell, reader), parameters });
}

function canonicalScript(script: string, shell: ShellCall['shell'], reader: ShellReader) {
  const lines = joinContinuedLines(script);
  const read = lines.isOdd ? undefined : reader.read(lines.script);
  if (read === undefined) return { script };
  const pieces = agreedScriptPieces(lines.script, read, shell);
  if (pieces !== undefined && !pieces.some(isAboutItself))
    return { pieces: pieces.map((piece) => canonicalPiece(piece, shell)) };
  // The last line's end does not matter, unless the line before it continues.
  return { script: /[^\\\n]\n+$/.test(script) ? script.replace(/\n+$/, '') : script };
}

function isAboutItself(piece: WrittenPiece): boolean {
  if (typeof piece === 'string') return false;
  const { assignments, words, redirections } = piece;
  const program = parseLiteralWord(words[0] ?? '')?.text;
  return [...assignments, ...words, ...redirections.map(({ target }) => target)].some(
    (word) =>
      seesItself.test(word) && (parseLiteralWord(word) === undefined || program === 'eval' || program === 'trap'),
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

function canonicalWord(word: string, shell: ShellCall['shell']) {
  const literal = parseLiteralWord(word);
  const isOther = (literal?.only === 'bash' && shell !== 'bash') || (literal?.only === 'not-zsh' && shell === 'zsh');
  return literal === undefined || isOther ? { word } : literal.text;
}

/** In zsh any name may be an alias, and quoting prevents that. */
const isKeyword = (word: string, shell: ShellCall['shell']): boolean =>
  shell === 'zsh' || keyword.test(parseLiteralWord(word)?.text ?? '');
