import type { ShellReader } from '../../ports/shell-reader.ts';
import { dangerOfWords, isDevice, type DangerKind } from './dangerous-words.ts';
import { isHarmlessVariable } from './harmless-variables.ts';
import { programName } from './program-name.ts';
import { isReadOnlyCommand } from './read-only-command.ts';
import { mayEvaluate } from './shell-builtins.ts';
import { isFamiliarShell, shellCall, type KnownWord, type ShellCall } from './shell-call.ts';
import { findActions, scriptIn, type TakenScript, unwrap, type Unwrapped } from './wrappers.ts';

/** Programs in programs in programs: beyond this no honest command goes. */
export const maximumWrappers = 8;
const maximumFound = 20_000;
/** Wrappers that leave nothing behind themselves. */
const quietWrappers = new Set(['command', 'exec', 'time', 'timeout', 'nice', 'ionice', 'stdbuf', 'env', 'xargs']);

export interface Found {
  readonly commands: string[][];
  readonly seen: string[][];
  /** Wrappers, and shells in the script. */
  readonly starters: string[];
  isKnown: boolean;
  /** May hold where `isKnown` does not: whatever words `cat` gets from elsewhere, it changes nothing. */
  isReadOnly: boolean;
  /** A command is started by another program, by a shell in the script, or with a variable of its own. */
  isIndirect: boolean;
  /** A cause why it is not known. */
  whyUnknown: WhyUnknown | undefined;
  /** A word, or what a program gets added to its words, is known only when it runs. */
  hasOpenWords: boolean;
  /** The first command of the shell that may run what stands in its words. */
  evaluating: string | undefined;
  danger: { readonly kind: DangerKind; readonly words: readonly string[] } | undefined;
}

/** Why no rule covers a script. `syntax`: a loop, a heredoc, or whatever else is not read for sure. */
export type WhyUnknown =
  | { readonly kind: 'syntax' }
  | { readonly kind: 'open-words' }
  | { readonly kind: 'assignment'; readonly name: string }
  /** As it is written: `> log`. */
  | { readonly kind: 'redirection'; readonly written: string };

export interface KnownScript {
  readonly shell: ShellCall['shell'];
  readonly script: string;
}

export interface Setting {
  readonly reader: ShellReader;
  readonly depth: number;
  /** The configured shell, as it is called. */
  readonly configured: string | undefined;
  /** How many more scripts may turn out to be unreadable: each can cost the parser half a second. */
  readonly budget: { unreadable: number };
  readonly evaluateScript: (script: KnownScript, setting: Setting, found: Found) => void;
}

export function nothingFound(): Found {
  return {
    commands: [],
    seen: [],
    starters: [],
    isKnown: true,
    isReadOnly: true,
    isIndirect: false,
    whyUnknown: undefined,
    hasOpenWords: false,
    evaluating: undefined,
    danger: undefined,
  };
}

/** One command with its words, as a program gets them. */
export function evaluateCommand(words: readonly KnownWord[], setting: Setting, found: Found): void {
  if (found.seen.length > maximumFound || setting.depth > maximumWrappers) {
    // More than can be looked at.
    noteDanger(found, 'destructive', literal(words));
    noteUnknown(found);
    return;
  }
  const firstDynamic = words.indexOf(undefined);
  if (firstDynamic >= 0) noteOpenWords(found);
  const prefix = literal(firstDynamic >= 0 ? words.slice(0, firstDynamic) : words);
  const [program] = words;
  if (program === undefined) return;
  const deeper = { ...setting, depth: setting.depth + 1 };
  const call = shellCall(words);
  if (call !== undefined) return evaluateShell(call, words, deeper, found);
  found.seen.push(prefix);
  if (mayEvaluate(words)) found.evaluating ??= program;
  const danger = dangerOfWords(literal(words));
  if (danger !== undefined) noteDanger(found, danger, literal(words));

  const script = scriptIn(words);
  if (script !== undefined) return evaluateTaken(script, words, deeper, found);
  const wrapped = unwrap(words);
  if (wrapped !== undefined) return evaluateWrapped(wrapped, words, deeper, found);

  found.commands.push(prefix);
  found.isReadOnly &&= isReadOnlyCommand(prefix, { isOpen: false });
  if (programName(program) === 'find') {
    for (const action of findActions(words)) evaluateAdded(action, deeper, found);
  }
}

function evaluateShell(call: ShellCall, words: readonly KnownWord[], setting: Setting, found: Found): void {
  if (setting.depth > 0) noteStarter(found, call.program);
  if (!isFamiliarShell(call.program, setting.configured)) {
    found.commands.push([call.program]);
    found.seen.push([call.program]);
    found.isReadOnly = false;
  }
  if (!call.isOrdinary || call.shell === 'other' || call.script === undefined) noteUnknown(found);
  if (call.script === undefined) return;
  if (/^[ \t\n]*$/.test(call.script)) {
    found.commands.push(literal(words));
    found.isReadOnly = false;
    return;
  }
  setting.evaluateScript({ shell: call.shell, script: call.script }, setting, found);
}

function evaluateTaken(
  { script, isWhole, isOpen = false }: TakenScript,
  words: readonly KnownWord[],
  setting: Setting,
  found: Found,
): void {
  noteStarter(found, words[0]);
  found.isReadOnly = false;
  if (isOpen) noteUnknown(found);
  if (!isWhole) found.commands.push(literal(words));
  if (script === undefined) {
    if (isWhole) noteUnknown(found);
  } else if (isWhole) setting.evaluateScript({ shell: 'other', script }, setting, found);
  else searchScript(script, setting, found);
}

/** Looks for danger alone: that the text is a script is a guess. */
export function searchScript(script: string, setting: Setting, found: Found): void {
  const own = nothingFound();
  setting.evaluateScript({ shell: 'other', script }, setting, own);
  addSearched(found, own);
}

/** Text that may not run as it stands is only searched. */
export function addSearched(found: Found, own: Found): void {
  found.danger ??= own.danger;
  found.evaluating ??= own.evaluating;
  found.hasOpenWords ||= own.hasOpenWords;
  found.seen.push(...own.seen);
}

function evaluateWrapped(
  { inner, variables, isSure, effect }: Unwrapped,
  words: readonly KnownWord[],
  setting: Setting,
  found: Found,
): void {
  noteStarter(found, words[0]);
  if (effect === 'other') found.commands.push(literal(words));
  if (effect === 'other' || !quietWrappers.has(words[0] ?? '')) found.isReadOnly = false;
  for (const variable of variables) noteAssignment(found, variable);
  if (!isSure) noteUnknown(found);
  if (!isSure) {
    // Which word is the program depends on options that are not known: any of the first may be.
    for (let at = 1; at < Math.min(words.length, 40); at += 1) {
      const kind = dangerOfWords(literal(words.slice(at)));
      if (kind !== undefined && words[at] !== undefined) noteDanger(found, kind, literal(words.slice(at)));
    }
  }
  if (effect === 'adding') evaluateAdded(inner, setting, found);
  else evaluateCommand(inner, setting, found);
}

/** A command that gets further words from elsewhere: which command it is, and what `rm` removes, is known only when it runs. */
function evaluateAdded(words: readonly KnownWord[], setting: Setting, found: Found): void {
  const own = nothingFound();
  evaluateCommand(words, setting, own);
  const [program = '', ...rest] = literal(words);
  if (programName(program) === 'rm' && own.danger === undefined) noteDanger(own, 'destructive', [program, ...rest]);
  if (program.includes('{}')) noteUnknown(own);
  const isOne = own.isKnown && own.commands.length === 1;
  found.isReadOnly &&= isOne && isReadOnlyCommand(own.commands[0] ?? [], { isOpen: true });
  // A command that is read-only stays so, whatever it gets.
  const { isReadOnly } = found;
  noteOpenWords(found);
  found.isReadOnly = isReadOnly;
  found.commands.push(...own.commands);
  addSearched(found, own);
}

/** Where a command writes: nothing but the null device and other descriptors leaves it as it is. */
export function evaluateRedirection(operator: string, target: KnownWord, found: Found): void {
  const kind = operator.replace(/^\d+/, '');
  if (/^[<>]&-$/.test(kind)) return;
  if (target !== undefined && !kind.startsWith('<') && isDevice(target)) {
    noteDanger(found, 'destructive', [operator, target]);
  }
  const isDuplicate = /^[<>]&$/.test(kind) && /^\d+-?$|^-$/.test(target ?? '');
  const isNull = /^(?:>|>>|>\||&>|&>>|>&|<)$/.test(kind) && target === '/dev/null';
  const isInput = kind === '<' && target !== undefined && !/^\/dev\/(?:tcp|udp)\//.test(target);
  if (isDuplicate || isNull || isInput) return;
  if (target === undefined) noteOpenWords(found);
  else noteUnknown(found, { kind: 'redirection', written: `${operator} ${target}` });
}

export function noteDanger(found: Found, kind: DangerKind, words: readonly string[]): void {
  found.danger ??= { kind, words };
}

function noteStarter(found: Found, program: KnownWord): void {
  found.isIndirect = true;
  if (program !== undefined) found.starters.push(program);
}

export function noteUnknown(found: Found, why: WhyUnknown = { kind: 'syntax' }): void {
  found.isKnown = false;
  found.isReadOnly = false;
  // A cause with a name says more.
  if (found.whyUnknown === undefined || found.whyUnknown.kind === 'syntax') found.whyUnknown = why;
}

export function noteOpenWords(found: Found): void {
  found.hasOpenWords = true;
  noteUnknown(found, { kind: 'open-words' });
}

/** `NAME=value` in front of a command, or alone. */
export function noteAssignment(found: Found, assignment: KnownWord): void {
  if (assignment === undefined) noteOpenWords(found);
  else if (!isHarmlessVariable(assignment))
    noteUnknown(found, { kind: 'assignment', name: assignment.replace(/\+?=.*/s, '') });
}

export function literal(words: readonly KnownWord[]): string[] {
  return words.filter((word) => word !== undefined);
}
