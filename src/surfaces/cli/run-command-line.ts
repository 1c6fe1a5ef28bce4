import { loadCommandEngine } from '../commands/command-engine.ts';
import { outlastReaders } from '../terminal/wait-for-readers.ts';
import { complain, print } from '../terminal/print.ts';
import { helpOption } from '../commands/command.ts';
import { type CommandGroup, findCommand } from '../commands/command-group.ts';
import { groupHelp } from '../commands/command-help.ts';
import { commandTable } from './command-table.ts';
import { isForTerminal } from './is-for-terminal.ts';
import { runCommand } from '../commands/run-command.ts';
import { tuiCommand } from '../commands/tui-command.ts';

/** `capstan WORDS …`: gives the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const exec = words.findIndex((word) => word === 'exec' || word === 'e');
  if (words[0]?.startsWith('-') === true && exec > 0) return runInGroup(commandTable, rootOptionsBehind(words, exec));
  // What older versions of Codex call the helper that holds a command.
  if (words[0] === 'debug' && words[1] === 'landlock')
    return runInGroup(commandTable, ['sandbox', 'linux', ...words.slice(2)]);
  if (opensTerminal(words)) return runInGroup(commandTable, ['tui', ...words]);
  return words.length === 0 ? welcome() : runInGroup(commandTable, words);
}

async function runInGroup(group: CommandGroup, [name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || helpOption.names.includes(name)) {
    outlastReaders();
    print(groupHelp(group), 'text');
    return name === undefined ? 2 : 0;
  }
  const found = findCommand(group, name, rest);
  if ('code' in found) return complain(found, 2);
  return 'commands' in found ? runInGroup(found, rest) : runCommand(found.command, rest, found.load);
}

/** A bare `capstan`: the demo as long as nothing is configured, else the list of commands. */
async function welcome(): Promise<number> {
  outlastReaders();
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return complain(loaded, 1);
  return runInGroup(commandTable, [loaded.engine.config.isSetUp ? '--help' : 'demo']);
}

/**
 * On a terminal, options and a prompt without a command are for the terminal surface. So are its options elsewhere: it says
 * what is wrong with them, or that there is no terminal.
 */
function opensTerminal(words: readonly string[]): boolean {
  const [first = ''] = words;
  if (helpOption.names.includes(first)) return false;
  if (process.stdin.isTTY && process.stdout.isTTY) return isForTerminal(words);
  const name = first.replace(/=.*$/s, '');
  return Object.values(tuiCommand.options).some(({ names }) => names.includes(name));
}

/** Options may stand before the command, as in `capstan -c KEY=VALUE exec …`; those behind it rank higher. */
function rootOptionsBehind(words: readonly string[], at: number): readonly string[] {
  return ['exec', ...words.slice(0, at), ...words.slice(at + 1)];
}
