import type {
  ShellNode,
  ShellRedirection,
  ShellScript,
  ShellSimpleCommand,
  ShellWord,
} from '../../../protocol/shell.ts';
import { readsScriptFromInput, wordSet } from './command-words.ts';
import type { CommandWords, MaybeKnownWord, Shell } from './command-words.ts';
import {
  CommandFindings,
  evaluateCommand,
  evaluateRedirection,
  maximumWrappers,
  searchScript,
  type EvaluationContext,
  type KnownScript,
  withoutUnknownWords,
} from './evaluate-command.ts';
import { isReadOnlyCommand } from './read-only-commands.ts';
import { agreedScriptPieces, readByQuoting } from './script-pieces.ts';
import { joinContinuedLines, parseLiteralWord } from './shell-quoting.ts';
import { unwrapCommand } from './wrapper-programs.ts';

/** Finds all commands of a script. Parts that are not read reliably are still searched for danger. */
export function evaluateScript(given: KnownScript, setting: EvaluationContext, found: CommandFindings): void {
  const { shell } = given;
  const { script, isOdd } = joinContinuedLines(given.script);
  const read = setting.budget.unreadable > 0 ? setting.reader.read(script) : undefined;
  if (read === undefined) return searchUnread({ shell, script }, setting, found);
  if (isOdd || agreedScriptPieces(script, read, shell) === undefined) {
    found.noteUnknown();
    // The grammar is bash's. Other shells may run other commands.
    const other = isOdd ? 'other' : shell;
    if (readByQuoting(script, other).length > 1 || (shell !== 'bash' && script.includes('((')))
      searchUnread({ shell: other, script }, setting, found);
  }
  walkScript(read, shell, setting, found);
}

function searchUnread({ shell, script }: KnownScript, setting: EvaluationContext, found: CommandFindings): void {
  setting.budget.unreadable -= 1;
  found.noteUnknown();
  const own = new CommandFindings();
  // Also read it with each substitution on a line of its own, but not at every depth: each doubles the work.
  const substituted = setting.depth <= 1 ? [script.replaceAll(/"|`|\$\(/g, '\n')] : [];
  const readings = isNeverRun(script) ? [] : [script, ...substituted].map((text) => commandsIn(text, shell));
  for (const { commands, isCut } of readings) {
    for (const words of commands) evaluateCommand(words, setting, own);
    if (isCut) own.noteDanger('destructive', []);
  }
  if (script.includes('((')) own.evaluating ??= '((';
  found.addSearched(own);
}

function walkScript({ body }: ShellScript, shell: Shell, setting: EvaluationContext, found: CommandFindings): void {
  const data: string[] = [];
  let hasInputShell = false;

  function walk(node: ShellNode): void {
    switch (node.kind) {
      case 'command':
        return walkCommand(node);
      case 'joined':
        walk(node.left);
        return walk(node.right);
      case 'negated':
        return walk(node.node);
      case 'subshell':
      case 'group':
        for (const part of node.body.parts) walk(part.node);
        return;
      case 'redirected':
        walk(node.node);
        return walkRedirections(node.redirections, []);
      case 'function':
        found.noteUnknown();
        if (node.inside.some((inner) => startsItself(node.name, inner))) found.noteDanger('destructive', [node.name]);
        return walkAll(node.inside);
      case 'dynamic':
        found.noteUnknown();
        return walkAll(node.inside);
    }
  }

  function walkCommand({ assignments, words, redirections }: ShellSimpleCommand): void {
    found.isIndirect ||= assignments.length > 0;
    for (const assignment of assignments) found.noteAssignment(textOf(assignment));
    const known = words.map((word) => textOf(word));
    const program = innermost(known);
    hasInputShell ||= readsScriptFromInput(program);
    if (program[0] === 'echo' || program[0] === 'printf') data.push(withoutUnknownWords(program.slice(1)).join(' '));
    if (known.length > 0) evaluateCommand(known, setting, found);
    walkRedirections(redirections, known);
  }

  function walkRedirections(redirections: readonly ShellRedirection[], words: CommandWords): void {
    for (const { operator, target, text } of redirections) {
      const known = target && textOf(target);
      if (text !== undefined) {
        data.push(text.source);
        walkWord(text.inside);
        found.noteUnknown();
      } else if (operator.endsWith('<<<') && known !== undefined) {
        data.push(known);
        // Input that is not a file may be a script for a program that takes one.
        if (!isReadOnlyCommand(withoutUnknownWords(words), { isOpen: false })) found.noteUnknown();
      } else evaluateRedirection(operator, known, found);
    }
  }

  /** The word's text in this shell. If a shell may read it differently it is unknown, but still searched. */
  function textOf({ source, inside }: ShellWord): MaybeKnownWord {
    walkWord(inside);
    const word = parseLiteralWord(source);
    if (word?.only === 'bash' && shell !== 'bash') found.noteUnknown();
    if (word?.only === 'not-zsh' && /zsh|other/.test(shell)) found.noteUnknown();
    return word?.text;
  }

  function walkWord(nodes: readonly ShellNode[]): void {
    if (nodes.length > 0) found.noteOpenWords();
    walkAll(nodes);
  }

  function walkAll(nodes: readonly ShellNode[]): void {
    if (nodes.length === 0) return;
    found.noteUnknown();
    for (const node of nodes) walk(node);
  }

  for (const { node } of body.parts) walk(node);
  // If the script starts a shell that reads its input, that shell may run any text in the script.
  const deeper = { ...setting, depth: setting.depth + 1 };
  if (hasInputShell) for (const text of data) searchScript(text, deeper, found);
}

function innermost(words: CommandWords): CommandWords {
  let inner = words;
  for (let depth = 0; depth <= maximumWrappers; depth += 1) {
    const wrapped = unwrapCommand(inner);
    if (wrapped === undefined) break;
    inner = wrapped.inner;
  }
  return inner;
}

/** A function that starts itself in the background, or twice at once, never ends. */
function startsItself(name: string, node: ShellNode): boolean {
  const isTwice = node.kind === 'joined' && node.operator.startsWith('|');
  if (isTwice && calls(name, node.left) && calls(name, node.right)) return true;
  const background = 'body' in node ? node.body.parts.filter(({ end }) => end === '&') : [];
  if (background.some((part) => calls(name, part.node))) return true;
  return innerNodes(node).some((inner) => startsItself(name, inner));
}

function calls(name: string, node: ShellNode): boolean {
  if (node.kind === 'command') return node.words[0]?.source === name;
  return innerNodes(node).some((inner) => calls(name, inner));
}

function innerNodes(node: ShellNode): readonly ShellNode[] {
  switch (node.kind) {
    case 'command':
      return [];
    case 'joined':
      return [node.left, node.right];
    case 'subshell':
    case 'group':
      return node.body.parts.map((part) => part.node);
    case 'negated':
    case 'redirected':
      return [node.node];
    case 'function':
    case 'dynamic':
      return node.inside;
  }
}

const leading = wordSet('if then elif else while until do for case ! { } time');

/** A quote in the first line is never closed, so no shell runs any of it. */
function isNeverRun(script: string): boolean {
  if (/<<|\$\(|`|\$\{|\\/.test(script)) return false;
  const [line = ''] = script.split('\n', 1);
  const outside = line.replaceAll(/'[^']*'|"[^"]*"/g, '').replace(/(?:^|\s)#.*/, '');
  const [quote] = /['"]/.exec(outside) ?? [];
  return quote !== undefined && !script.slice(line.length).includes(quote);
}

/**
 * Possible commands in a script that the grammar does not read: shells run the lines before one that they cannot read,
 * and accept more than the grammar does. `isCut`: there are more than can be examined.
 */
function commandsIn(script: string, shell: Shell) {
  const readings = readByQuoting(script, shell);
  const commands = new Map<string, CommandWords>();
  for (const piece of readings.flatMap(({ pieces }) => pieces)) {
    if (typeof piece === 'string') continue;
    const start = piece.words.findIndex((word) => !leading.has(word));
    if (start < 0) continue;
    const words = piece.words.slice(start);
    const literal = words.map((word) => parseLiteralWord(word)?.text);
    commands.set(JSON.stringify(words), literal);
  }
  return { commands: [...commands.values()], isCut: readings.some(({ isCut }) => isCut) };
}
