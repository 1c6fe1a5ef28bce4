import type { ShellReader } from '../../../ports/commands.ts';
import {
  isFamiliarShell,
  type MaybeKnownWord,
  programName,
  setOf,
  shellCall,
  type ShellCall,
} from './command-words.ts';
import { type DangerKind, dangerOfWords, isDevice } from './dangerous-commands.ts';
import { isReadOnlyCommand } from './read-only-commands.ts';
import { mayEvaluate } from './shell-builtins.ts';
import {
  commandsStartedByFind,
  scriptArgument,
  type TakenScript,
  unwrapCommand,
  type UnwrappedCommand,
} from './wrapper-programs.ts';

/** No honest command nests programs deeper. */
export const maximumWrappers = 8;
const maximumFound = 20_000;
const quietWrappers = setOf('command exec time timeout nice ionice stdbuf env xargs');

export interface CommandFindings {
  readonly commands: string[][];
  readonly seen: string[][];
  /** Wrappers, and shells in the script. */
  readonly starters: string[];
  isKnown: boolean;
  /** May be true even if `isKnown` is false: `cat` changes nothing, whatever words it gets. */
  isReadOnly: boolean;
  /** A command is started by another program, by a shell in the script, or with a variable of its own. */
  isIndirect: boolean;
  whyUnknown?: UnknownReason;
  hasOpenWords: boolean;
  evaluating?: string;
  danger?: { readonly kind: DangerKind; readonly words: readonly string[] };
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

export function noFindings(): CommandFindings {
  return {
    commands: [],
    seen: [],
    starters: [],
    isKnown: true,
    isReadOnly: true,
    isIndirect: false,
    hasOpenWords: false,
  };
}

export function evaluateCommand(
  words: readonly MaybeKnownWord[],
  setting: EvaluationContext,
  found: CommandFindings,
): void {
  if (found.seen.length > maximumFound || setting.depth > maximumWrappers) {
    // Too much to examine.
    noteDanger(found, 'destructive', withoutUnknownWords(words));
    noteUnknown(found);
    return;
  }
  const firstDynamic = words.indexOf(undefined);
  if (firstDynamic >= 0) noteOpenWords(found);
  const prefix = withoutUnknownWords(firstDynamic >= 0 ? words.slice(0, firstDynamic) : words);
  const [program] = words;
  if (program === undefined) return;
  const deeper = { ...setting, depth: setting.depth + 1 };
  const call = shellCall(words);
  if (call !== undefined) return evaluateShell(call, words, deeper, found);
  found.seen.push(prefix);
  if (mayEvaluate(words)) found.evaluating ??= program;
  noteDanger(found, dangerOfWords(withoutUnknownWords(words)), withoutUnknownWords(words));

  const script = scriptArgument(words);
  if (script !== undefined) return evaluateTaken(script, words, deeper, found);
  const wrapped = unwrapCommand(words);
  if (wrapped !== undefined) return evaluateWrapped(wrapped, words, deeper, found);

  found.commands.push(prefix);
  found.isReadOnly &&= isReadOnlyCommand(prefix, { isOpen: false });
  for (const action of programName(program) === 'find' ? commandsStartedByFind(words) : [])
    evaluateAdded(action, deeper, found);
}

function evaluateShell(
  { program, shell, script, isOrdinary }: ShellCall,
  words: readonly MaybeKnownWord[],
  setting: EvaluationContext,
  found: CommandFindings,
): void {
  if (setting.depth > 0) noteStarter(found, program);
  if (!isFamiliarShell(program, setting.configured)) {
    found.commands.push([program]);
    found.seen.push([program]);
    found.isReadOnly = false;
  }
  if (!isOrdinary || shell === 'other' || script === undefined) noteUnknown(found);
  if (script === undefined) return;
  if (/^[ \t\n]*$/.test(script)) {
    found.commands.push(withoutUnknownWords(words));
    found.isReadOnly = false;
  } else setting.evaluateScript({ shell, script }, setting, found);
}

function evaluateTaken(
  { script, isWhole, isOpen = false }: TakenScript,
  words: readonly MaybeKnownWord[],
  setting: EvaluationContext,
  found: CommandFindings,
): void {
  noteStarter(found, words[0]);
  found.isReadOnly = false;
  if (isOpen) noteUnknown(found);
  if (!isWhole) found.commands.push(withoutUnknownWords(words));
  if (script === undefined && isWhole) noteUnknown(found);
  if (script === undefined) return;
  if (isWhole) setting.evaluateScript({ shell: 'other', script }, setting, found);
  else searchScript(script, setting, found);
}

/** Only searches for danger, because the text is merely assumed to be a script. */
export function searchScript(script: string, setting: EvaluationContext, found: CommandFindings): void {
  const own = noFindings();
  setting.evaluateScript({ shell: 'other', script }, setting, own);
  addSearchFindings(found, own);
}

/** Text that may not run unchanged is only searched. */
export function addSearchFindings(found: CommandFindings, own: CommandFindings): void {
  found.danger ??= own.danger;
  found.evaluating ??= own.evaluating;
  found.hasOpenWords ||= own.hasOpenWords;
  found.seen.push(...own.seen);
}

function evaluateWrapped(
  { inner, variables, isSure, effect }: UnwrappedCommand,
  words: readonly MaybeKnownWord[],
  setting: EvaluationContext,
  found: CommandFindings,
): void {
  noteStarter(found, words[0]);
  if (effect === 'other') found.commands.push(withoutUnknownWords(words));
  if (effect === 'other' || !quietWrappers.has(words[0] ?? '')) found.isReadOnly = false;
  for (const variable of variables) noteAssignment(found, variable);
  if (!isSure) noteUnknown(found);
  // Unknown options decide which word is the program: it may be any of the first.
  for (const [at, word] of isSure ? [] : words.slice(1, 40).entries()) {
    const possible = withoutUnknownWords(words.slice(at + 1));
    if (word !== undefined) noteDanger(found, dangerOfWords(possible), possible);
  }
  if (effect === 'adding') evaluateAdded(inner, setting, found);
  else evaluateCommand(inner, setting, found);
}

/** For a command that gets more words at run time: before that, all of it and the targets of `rm` are unknown. */
function evaluateAdded(words: readonly MaybeKnownWord[], setting: EvaluationContext, found: CommandFindings): void {
  const own = noFindings();
  evaluateCommand(words, setting, own);
  const [program = '', ...rest] = withoutUnknownWords(words);
  if (programName(program) === 'rm' && own.danger === undefined) noteDanger(own, 'destructive', [program, ...rest]);
  if (program.includes('{}')) noteUnknown(own);
  const isOne = own.isKnown && own.commands.length === 1;
  found.isReadOnly &&= isOne && isReadOnlyCommand(own.commands[0] ?? [], { isOpen: true });
  // A read-only command stays so whatever words are added.
  const { isReadOnly } = found;
  noteOpenWords(found);
  found.isReadOnly = isReadOnly;
  found.commands.push(...own.commands);
  addSearchFindings(found, own);
}

/** A redirection's target: only the null device and other descriptors have no effect. */
export function evaluateRedirection(operator: string, target: MaybeKnownWord, found: CommandFindings): void {
  const kind = operator.replace(/^\d+/, '');
  if (/^[<>]&-$/.test(kind)) return;
  if (target !== undefined && !kind.startsWith('<') && isDevice(target))
    noteDanger(found, 'destructive', [operator, target]);
  const isDuplicate = /^[<>]&$/.test(kind) && /^\d+-?$|^-$/.test(target ?? '');
  const isNull = /^(?:>|>>|>\||&>|&>>|>&|<)$/.test(kind) && target === '/dev/null';
  const isInput = kind === '<' && target !== undefined && !/^\/dev\/(?:tcp|udp)\//.test(target);
  if (isDuplicate || isNull || isInput) return;
  if (target === undefined) noteOpenWords(found);
  else noteUnknown(found, { kind: 'redirection', written: `${operator} ${target}` });
}

export function noteDanger(found: CommandFindings, kind: DangerKind | undefined, words: readonly string[]): void {
  if (kind !== undefined) found.danger ??= { kind, words };
}

function noteStarter(found: CommandFindings, program: MaybeKnownWord): void {
  found.isIndirect = true;
  if (program !== undefined) found.starters.push(program);
}

export function noteUnknown(found: CommandFindings, why: UnknownReason = { kind: 'syntax' }): void {
  found.isKnown = false;
  found.isReadOnly = false;
  if (found.whyUnknown === undefined || found.whyUnknown.kind === 'syntax') found.whyUnknown = why;
}

export function noteOpenWords(found: CommandFindings): void {
  found.hasOpenWords = true;
  noteUnknown(found, { kind: 'open-words' });
}

/** `NAME=value` before a command or alone. */
export function noteAssignment(found: CommandFindings, assignment: MaybeKnownWord): void {
  if (assignment === undefined) noteOpenWords(found);
  else if (!isHarmlessVariable(assignment))
    noteUnknown(found, { kind: 'assignment', name: assignment.replace(/\+?=.*/s, '') });
}

export const withoutUnknownWords = (words: readonly MaybeKnownWord[]): string[] =>
  words.filter((word) => word !== undefined);

/**
 * Variables that change a program's appearance or counting, and never which code it runs or which files it touches. All
 * others may: `PATH`, `GIT_SSH_COMMAND`, `NODE_OPTIONS`, `RUSTC_WRAPPER`, and those of future programs.
 */
const names = setOf(
  `LANG LANGUAGE TERM COLUMNS LINES CI DEBUG NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE PY_COLORS
  CARGO_TERM_COLOR RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE`,
);

/** Assigns a plain value to such a variable. A value with a slash could name a file. */
function isHarmlessVariable(assignment: string): boolean {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
  if (name === 'TZ') return /^\w+(?:[/_+-]\w+)*$/.test(value);
  return (names.has(name) || /^LC_[A-Z]+$/.test(name)) && /^[\w.,:@=+*-]*$/.test(value);
}
