import type { ReadCommand, ReadNode, ReadRedirection, ReadWord } from '../../protocol/read-script.ts';
import {
  addSearched,
  evaluateCommand,
  evaluateRedirection,
  literal,
  maximumWrappers,
  noteAssignment,
  noteDanger,
  noteOpenWords,
  nothingFound,
  searchScript,
  noteUnknown,
  type Found,
  type KnownScript,
  type Setting,
} from './evaluate.ts';
import { joinLines } from './join-lines.ts';
import { literalWord } from './literal-word.ts';
import { isReadOnlyCommand } from './read-only-command.ts';
import { readTwice } from './read-twice.ts';
import { secondReadings } from './second-reading.ts';
import { readsScriptFromInput, type KnownWord, type ShellCall } from './shell-call.ts';
import { unreadCommands, unreadSubstitutions } from './unread-commands.ts';
import { unwrap } from './wrappers.ts';

/** All commands of a script. What is not read for sure is still searched for danger. */
export function evaluateScript({ shell, script: given }: KnownScript, setting: Setting, found: Found): void {
  const { script, isOdd } = joinLines(given);
  const read = setting.budget.unreadable > 0 ? setting.reader.read(script) : undefined;
  if (read === undefined) return searchUnread({ shell, script }, setting, found);
  if (isOdd || readTwice(script, read, shell) === undefined) {
    noteUnknown(found);
    // The grammar is that of bash. Other shells may run other commands.
    const other = isOdd ? 'other' : shell;
    if (secondReadings(script, other).length > 1 || (shell !== 'bash' && script.includes('(('))) {
      searchUnread({ shell: other, script }, setting, found);
    }
  }
  const walk = new ScriptWalk(shell, setting, found);
  for (const { node } of read.body.parts) walk.node(node);
  walk.finish();
}

function searchUnread({ shell, script }: KnownScript, setting: Setting, found: Found): void {
  setting.budget.unreadable -= 1;
  noteUnknown(found);
  const own = nothingFound();
  // Substitutions not at every depth: the work would double with each.
  const readings = [unreadCommands(script, shell), ...(setting.depth <= 1 ? [unreadSubstitutions(script, shell)] : [])];
  for (const { commands, isCut } of readings) {
    for (const words of commands) evaluateCommand(words, setting, own);
    if (isCut) noteDanger(own, 'destructive', []);
  }
  if (script.includes('((')) own.evaluating ??= '((';
  addSearched(found, own);
}

class ScriptWalk {
  readonly #shell: ShellCall['shell'];
  readonly #setting: Setting;
  readonly #found: Found;
  /** Text that a shell may get as its input. */
  readonly #data: string[] = [];
  #hasInputShell = false;

  constructor(shell: ShellCall['shell'], setting: Setting, found: Found) {
    this.#shell = shell;
    this.#setting = setting;
    this.#found = found;
  }

  /** A shell somewhere in the script may run whatever text is in the script. */
  finish(): void {
    if (!this.#hasInputShell) return;
    const deeper = { ...this.#setting, depth: this.#setting.depth + 1 };
    for (const text of this.#data) searchScript(text, deeper, this.#found);
  }

  node(node: ReadNode): void {
    switch (node.kind) {
      case 'command':
        return this.#command(node);
      case 'joined':
        this.node(node.left);
        return this.node(node.right);
      case 'negated':
        return this.node(node.node);
      case 'subshell':
      case 'group':
        for (const part of node.body.parts) this.node(part.node);
        return;
      case 'redirected':
        this.node(node.node);
        return this.#redirections(node.redirections, []);
      case 'function':
        noteUnknown(this.#found);
        if (node.inside.some((inner) => startsItself(node.name, inner))) {
          noteDanger(this.#found, 'destructive', [node.name]);
        }
        return this.#inside(node.inside);
      case 'dynamic':
        noteUnknown(this.#found);
        return this.#inside(node.inside);
    }
  }

  #command({ assignments, words, redirections }: ReadCommand): void {
    this.#found.isIndirect ||= assignments.length > 0;
    for (const assignment of assignments) noteAssignment(this.#found, this.#text(assignment));
    const known = words.map((word) => this.#text(word));
    const program = innermost(known);
    this.#hasInputShell ||= readsScriptFromInput(program);
    if (program[0] === 'echo' || program[0] === 'printf') this.#data.push(literal(program.slice(1)).join(' '));
    if (known.length > 0) evaluateCommand(known, this.#setting, this.#found);
    this.#redirections(redirections, known);
  }

  #redirections(redirections: readonly ReadRedirection[], words: readonly KnownWord[]): void {
    for (const { operator, target, text } of redirections) {
      const known = target && this.#text(target);
      if (text !== undefined) {
        this.#data.push(text.source);
        this.#inWord(text.inside);
        noteUnknown(this.#found);
      } else if (operator.endsWith('<<<') && known !== undefined) {
        this.#data.push(known);
        // Input that is no file may be a script for a program that takes one.
        if (!isReadOnlyCommand(literal(words), { isOpen: false })) noteUnknown(this.#found);
      } else evaluateRedirection(operator, known, this.#found);
    }
  }

  /** Its text in this shell; in a shell that may read it otherwise it is not known, but still searched. */
  #text({ source, inside }: ReadWord): KnownWord {
    this.#inWord(inside);
    const word = literalWord(source);
    if (word?.only === 'bash' && this.#shell !== 'bash') noteUnknown(this.#found);
    if (word?.only === 'not-zsh' && /zsh|other/.test(this.#shell)) noteUnknown(this.#found);
    return word?.text;
  }

  #inWord(nodes: readonly ReadNode[]): void {
    if (nodes.length > 0) noteOpenWords(this.#found);
    this.#inside(nodes);
  }

  #inside(nodes: readonly ReadNode[]): void {
    if (nodes.length === 0) return;
    noteUnknown(this.#found);
    for (const node of nodes) this.node(node);
  }
}

function innermost(words: readonly KnownWord[]): readonly KnownWord[] {
  let inner = words;
  for (let depth = 0; depth <= maximumWrappers; depth += 1) {
    const wrapped = unwrap(inner);
    if (wrapped === undefined) break;
    inner = wrapped.inner;
  }
  return inner;
}

/** A function that starts itself in the background or twice at once never ends. */
function startsItself(name: string, node: ReadNode): boolean {
  switch (node.kind) {
    case 'joined':
      if (node.operator.startsWith('|') && calls(name, node.left) && calls(name, node.right)) return true;
      return startsItself(name, node.left) || startsItself(name, node.right);
    case 'subshell':
    case 'group':
      return node.body.parts.some(
        (part) => (part.end === '&' && calls(name, part.node)) || startsItself(name, part.node),
      );
    case 'negated':
    case 'redirected':
      return startsItself(name, node.node);
    case 'function':
    case 'dynamic':
      return node.inside.some((inner) => startsItself(name, inner));
    case 'command':
      return false;
  }
}

function calls(name: string, node: ReadNode): boolean {
  switch (node.kind) {
    case 'command':
      return node.words[0]?.source === name;
    case 'joined':
      return calls(name, node.left) || calls(name, node.right);
    case 'subshell':
    case 'group':
      return node.body.parts.some((part) => calls(name, part.node));
    case 'negated':
    case 'redirected':
      return calls(name, node.node);
    case 'function':
    case 'dynamic':
      return node.inside.some((inner) => calls(name, inner));
  }
}
