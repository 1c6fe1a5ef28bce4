import { defined } from '../../../base/objects.ts';
import type { ShellReader } from '../../../ports/commands.ts';
import { isFamiliarShell, isShell, programName, shellCall, type ShellCall } from './command-words.ts';
import { type DangerKind, dangerousNames, dangerousSubcommands } from './dangerous-commands.ts';
import { evaluateCommand, maximumWrappers, noFindings, type UnknownReason } from './evaluate-command.ts';
import { evaluateScript } from './evaluate-script.ts';
import { agreedPieces, type WrittenPiece } from './script-pieces.ts';
import { joinLines, literalWord } from './shell-quoting.ts';
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

/**
 * Without a parser, in microseconds: whether `analyseCommand` could find danger in it. Quotes and escapes are ignored
 * rather than read, at whatever depth they stand.
 */
export function mayBeDangerous(argv: readonly string[]): boolean {
  const all = argv.join(' ');
  // What is long may be more than can be looked at. It is worth the parser's time.
  if (all.length > 4_000) return true;
  // Letters may be written as numbers.
  if (/\$['"]/.test(all)) return true;
  const text = all.replaceAll(/['"]/g, '');
  if (!text.includes('\\')) return hasDangerousWord(text);
  // A line may go on in the next one in the middle of a name.
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

/** What a command would do, as far as its words show it. */
export interface CommandAnalysis {
  /** The words of every simple command, in order, wrappers seen through. Undefined: something in it is known only when it runs. */
  readonly commands: readonly (readonly string[])[] | undefined;
  /**
   * The beginnings of all commands that were found, each up to its first unknown word: those of unknown scripts and
   * wrappers too, but no shell with its script. For rules that ask or forbid; rules that allow look at `commands`.
   */
  readonly seen: readonly (readonly string[])[];
  /** Programs that start commands of it: wrappers such as `timeout`, and shells in the script. Absent: none. */
  readonly starters?: readonly string[];
  /** Why `commands` is undefined. */
  readonly whyUnknown?: UnknownReason;
  /** Words of it are known only when it runs, and may be others the next time. Absent: all are known. */
  readonly hasOpenWords?: true;
  /** The first command of the shell that may run what stands in its words or in a file. Absent: none. */
  readonly evaluating?: string;
  /** All of it is known to change nothing, whatever words it gets from elsewhere. */
  readonly isReadOnly: boolean;
  /** Not all of it is started by the shell of the call itself, as it is. Absent: all of it is. */
  readonly isIndirect?: true;
  readonly danger?: { readonly kind: DangerKind; readonly words: readonly string[] };
}

/** `shell`: the configured one, as it is called. Shells outside of the folders of the system are unfamiliar otherwise. */
export function analyseCommand(
  argv: readonly string[],
  reader: ShellReader,
  { shell }: { readonly shell?: string } = {},
): CommandAnalysis {
  const found = noFindings();
  // The shell of the call itself is no wrapper.
  const depth = shellCall(argv) === undefined ? 0 : -1;
  const setting = { reader, depth, configured: shell, budget: { unreadable: 6 }, evaluateScript };
  evaluateCommand(argv, setting, found);
  const commands = found.commands.length > 0 ? found.commands : [[...argv]];
  const isElsewhere = commands.some(([name = '']) => /^(?:cd|pushd|popd)$/.test(name));
  const isReadOnly = found.isReadOnly && found.commands.length > 0;
  return {
    commands: found.isKnown ? commands : undefined,
    seen: found.seen,
    // The configuration of another repository may name programs.
    isReadOnly: isReadOnly && !(isElsewhere && commands.some(([name]) => name === 'git')),
    ...(found.starters.length > 0 && { starters: [...new Set(found.starters)] }),
    ...(!found.isKnown && defined({ whyUnknown: found.whyUnknown })),
    ...(found.hasOpenWords && { hasOpenWords: true }),
    ...defined({ evaluating: found.evaluating }),
    ...(found.isIndirect && { isIndirect: true }),
    ...(found.danger === undefined ? {} : { danger: found.danger }),
  };
}

/** Looks into commands without running them. */
export interface CommandReader {
  /** In microseconds: false where reading would find no danger. */
  mayBeDangerous(argv: readonly string[]): boolean;
  /** `canonical` is the same text for every spelling of the command. Never rejects. */
  read(argv: readonly string[]): Promise<{ readonly analysis: CommandAnalysis; readonly canonical: string }>;
}

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
  const pieces = agreedPieces(lines.script, read, shell);
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
