import type { ShellReader } from '../../../ports/commands.ts';
import { isFamiliarShell, programName, wordSet, shellCall } from './command-words.ts';
import type { CommandWords, MaybeKnownWord, ShellCall } from './command-words.ts';
import { type DangerKind, dangerOfWords, isDevice } from './dangerous-commands.ts';
import { isReadOnlyCommand } from './read-only-commands.ts';
import { mayEvaluate } from './shell-builtins.ts';
import { commandsStartedByFind, scriptArgument, unwrapCommand } from './wrapper-programs.ts';
import type { TakenScript, UnwrappedCommand } from './wrapper-programs.ts';

/** No honest command nests programs deeper. */
export const maximumWrappers = 8;
const maximumFound = 20_000;
const quietWrappers = wordSet('command exec time timeout nice ionice stdbuf env xargs');

/** Grows while a call is evaluated. */
export class CommandFindings {
  readonly commands: string[][] = [];
  readonly seen: string[][] = [];
  /** Wrappers, and shells in the script. */
  readonly starters: string[] = [];
  isKnown = true;
  /** May be true even if `isKnown` is false: `cat` changes nothing, whatever words it gets. */
  isReadOnly = true;
  /** A command is started by another program, by a shell in the script, or with a variable of its own. */
  isIndirect = false;
  whyUnknown: UnknownReason | undefined;
  hasOpenWords = false;
  evaluating: string | undefined;
  danger: { readonly kind: DangerKind; readonly words: readonly string[] } | undefined;

  noteDanger(kind: DangerKind | undefined, words: readonly string[]): void {
    if (kind !== undefined) this.danger ??= { kind, words };
  }

  noteStarter(program: MaybeKnownWord): void {
    this.isIndirect = true;
    if (program !== undefined) this.starters.push(program);
  }

  noteUnknown(why: UnknownReason = { kind: 'syntax' }): void {
    this.isKnown = false;
    this.isReadOnly = false;
    if (this.whyUnknown === undefined || this.whyUnknown.kind === 'syntax') this.whyUnknown = why;
  }

  noteOpenWords(): void {
    this.hasOpenWords = true;
    this.noteUnknown({ kind: 'open-words' });
  }

  /** `NAME=value` before a command or alone. */
  noteAssignment(assignment: MaybeKnownWord): void {
    if (assignment === undefined) this.noteOpenWords();
    else if (!isHarmlessVariable(assignment))
      this.noteUnknown({ kind: 'assignment', name: assignment.replace(/\+?=.*/s, '') });
  }

  /** Takes over what was found in text that may not run unchanged: it is only searched. */
  addSearched({ danger, evaluating, hasOpenWords, seen }: CommandFindings): void {
    this.danger ??= danger;
    this.evaluating ??= evaluating;
    this.hasOpenWords ||= hasOpenWords;
    this.seen.push(...seen);
  }
}

/** Why no rule covers a script. `syntax`: a loop, a heredoc, or anything else that is not read reliably. */
export type UnknownReason =
  | { readonly kind: 'syntax' }
  | { readonly kind: 'open-words' }
  | { readonly kind: 'assignment'; readonly name: string }
  /** As written: `> log`. */
  | { readonly kind: 'redirection'; readonly written: string };

export type KnownScript = { readonly shell: ShellCall['shell']; readonly script: string };

export interface EvaluationContext {
  readonly reader: ShellReader;
  readonly depth: number;
  /** The configured shell, as it is called. */
  readonly configured: string | undefined;
  /** Remaining number of scripts that may prove unreadable: each can cost the parser half a second. */
  readonly budget: { unreadable: number };
  readonly evaluateScript: (script: KnownScript, setting: EvaluationContext, found: CommandFindings) => void;
}

export function evaluateCommand(words: CommandWords, setting: EvaluationContext, found: CommandFindings) {
  if (found.seen.length > maximumFound || setting.depth > maximumWrappers) {
    // Too much to examine.
    found.noteDanger('destructive', withoutUnknownWords(words));
    return found.noteUnknown();
  }
  const firstDynamic = words.indexOf(undefined);
  if (firstDynamic >= 0) found.noteOpenWords();
  const prefix = withoutUnknownWords(firstDynamic >= 0 ? words.slice(0, firstDynamic) : words);
  const [program] = words;
  if (program === undefined) return;
  const deeper = { ...setting, depth: setting.depth + 1 };
  const call = shellCall(words);
  if (call !== undefined) return evaluateShell(call, words, deeper, found);
  found.seen.push(prefix);
  if (mayEvaluate(words)) found.evaluating ??= program;
  found.noteDanger(dangerOfWords(withoutUnknownWords(words)), withoutUnknownWords(words));

  const script = scriptArgument(words);
  if (script !== undefined) return evaluateTaken(script, words, deeper, found);
  const wrapped = unwrapCommand(words);
  if (wrapped !== undefined) return evaluateWrapped(wrapped, words, deeper, found);

  found.commands.push(prefix);
  found.isReadOnly &&= isReadOnlyCommand(prefix, { isOpen: false });
  for (const action of programName(program) === 'find' ? commandsStartedByFind(words) : [])
    evaluateAdded(action, deeper, found);
}

function evaluateShell(call: ShellCall, words: CommandWords, setting: EvaluationContext, found: CommandFindings): void {
  const { program, shell, script, isOrdinary } = call;
  if (setting.depth > 0) found.noteStarter(program);
  if (!isFamiliarShell(program, setting.configured)) {
    found.commands.push([program]);
    found.seen.push([program]);
    found.isReadOnly = false;
  }
  if (!isOrdinary || shell === 'other' || script === undefined) found.noteUnknown();
  if (script === undefined) return;
  if (/^[ \t\n]*$/.test(script)) {
    found.commands.push(withoutUnknownWords(words));
    found.isReadOnly = false;
  } else setting.evaluateScript({ shell, script }, setting, found);
}

function evaluateTaken(taken: TakenScript, words: CommandWords, setting: EvaluationContext, found: CommandFindings) {
  const { script, isWhole, isOpen = false } = taken;
  found.noteStarter(words[0]);
  found.isReadOnly = false;
  if (isOpen) found.noteUnknown();
  if (!isWhole) found.commands.push(withoutUnknownWords(words));
  if (script === undefined && isWhole) found.noteUnknown();
  if (script === undefined) return;
  if (isWhole) setting.evaluateScript({ shell: 'other', script }, setting, found);
  else searchScript(script, setting, found);
}

/** Only searches for danger, because the text is merely assumed to be a script. */
export function searchScript(script: string, setting: EvaluationContext, found: CommandFindings): void {
  const own = new CommandFindings();
  setting.evaluateScript({ shell: 'other', script }, setting, own);
  found.addSearched(own);
}

function evaluateWrapped(
  { inner, variables, isSure, effect }: UnwrappedCommand,
  words: CommandWords,
  setting: EvaluationContext,
  found: CommandFindings,
): void {
  found.noteStarter(words[0]);
  if (effect === 'other') found.commands.push(withoutUnknownWords(words));
  if (effect === 'other' || !quietWrappers.has(words[0] ?? '')) found.isReadOnly = false;
  for (const variable of variables) found.noteAssignment(variable);
  if (!isSure) found.noteUnknown();
  // Unknown options decide which word is the program: it may be any of the first.
  for (const [at, word] of isSure ? [] : words.slice(1, 40).entries()) {
    const possible = withoutUnknownWords(words.slice(at + 1));
    if (word !== undefined) found.noteDanger(dangerOfWords(possible), possible);
  }
  if (effect === 'adding') evaluateAdded(inner, setting, found);
  else evaluateCommand(inner, setting, found);
}

/** For a command that gets more words at run time: before that, all of it and the targets of `rm` are unknown. */
function evaluateAdded(words: CommandWords, setting: EvaluationContext, found: CommandFindings): void {
  const own = new CommandFindings();
  evaluateCommand(words, setting, own);
  const [program = '', ...rest] = withoutUnknownWords(words);
  if (programName(program) === 'rm' && own.danger === undefined) own.noteDanger('destructive', [program, ...rest]);
  if (program.includes('{}')) own.noteUnknown();
  const isOne = own.isKnown && own.commands.length === 1;
  found.isReadOnly &&= isOne && isReadOnlyCommand(own.commands[0] ?? [], { isOpen: true });
  // A read-only command stays so whatever words are added.
  const { isReadOnly } = found;
  found.noteOpenWords();
  found.isReadOnly = isReadOnly;
  found.commands.push(...own.commands);
  found.addSearched(own);
}

/** A redirection's target: only the null device and other descriptors have no effect. */
export function evaluateRedirection(operator: string, target: MaybeKnownWord, found: CommandFindings): void {
  const kind = operator.replace(/^\d+/, '');
  if (/^[<>]&-$/.test(kind)) return;
  if (target !== undefined && !kind.startsWith('<') && isDevice(target))
    found.noteDanger('destructive', [operator, target]);
  const isDuplicate = /^[<>]&$/.test(kind) && /^\d+-?$|^-$/.test(target ?? '');
  const isNull = /^(?:>|>>|>\||&>|&>>|>&|<)$/.test(kind) && target === '/dev/null';
  const isInput = kind === '<' && target !== undefined && !/^\/dev\/(?:tcp|udp)\//.test(target);
  if (isDuplicate || isNull || isInput) return;
  if (target === undefined) found.noteOpenWords();
  else found.noteUnknown({ kind: 'redirection', written: `${operator} ${target}` });
}

export const withoutUnknownWords = (words: CommandWords): string[] => words.filter((word) => word !== undefined);

/**
 * Variables that change a program's appearance or counting, and never which code it runs or which files it touches. All
 * others may: `PATH`, `GIT_SSH_COMMAND`, `NODE_OPTIONS`, `RUSTC_WRAPPER`, and those of future programs.
 */
const names = wordSet(
  `LANG LANGUAGE TERM COLUMNS LINES CI DEBUG NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE PY_COLORS
  CARGO_TERM_COLOR RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE`,
);

/** Assigns a plain value to such a variable. A value with a slash could name a file. */
function isHarmlessVariable(assignment: string): boolean {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
  if (name === 'TZ') return /^\w+(?:[/_+-]\w+)*$/.test(value);
  return (names.has(name) || /^LC_[A-Z]+$/.test(name)) && /^[\w.,:@=+*-]*$/.test(value);
}
