import { loadCommandEngine } from '../views/command-line/command-engine.ts';
import { type CommandGroup, findCommand, groupHelp } from '../views/command-line/command-group.ts';
import { helpOption } from '../views/command-line/command.ts';
import { runCommand } from '../views/command-line/run-command.ts';
import { tuiCommand } from '../views/command-line/surface-commands.ts';
import { printFailure, print } from '../views/terminal/print.ts';
import { ignoreClosedOutput } from '../views/terminal/process.ts';
import { commandTable } from './table/command-table.ts';

export async function runCommandLine(words: readonly string[]): Promise<number> {
  const exec = words.findIndex((word) => word === 'exec' || word === 'e');
  // Options may precede the command, as in `capstan -c KEY=VALUE exec …`; those after it rank higher.
  if (words[0]?.startsWith('-') === true && exec > 0)
    return runInGroup(commandTable, ['exec', ...words.toSpliced(exec, 1)]);
  // The name that older versions of Codex have for the sandbox helper.
  if (words[0] === 'debug' && words[1] === 'landlock')
    return runInGroup(commandTable, ['sandbox', 'linux', ...words.slice(2)]);
  if (opensTerminal(words)) return runInGroup(commandTable, ['tui', ...words]);
  return words.length === 0 ? welcome() : runInGroup(commandTable, words);
}

async function runInGroup(group: CommandGroup, [name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || helpOption.names.includes(name)) {
    ignoreClosedOutput();
    print(groupHelp(group), 'text');
    return name === undefined ? 2 : 0;
  }
  const found = findCommand(group, name, rest);
  if ('code' in found) return printFailure(found, 2);
  return 'commands' in found ? runInGroup(found, rest) : runCommand(found.command, rest, found.load);
}

/** For a bare `capstan`: the demo while nothing is configured, else the list of commands. */
async function welcome(): Promise<number> {
  ignoreClosedOutput();
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return printFailure(loaded, 1);
  return runInGroup(commandTable, [loaded.engine.config.isSetUp ? '--help' : 'demo']);
}

/** Options and a prompt without a command are for the terminal surface; it also reports that there is no terminal. */
function opensTerminal(words: readonly string[]): boolean {
  const [first = ''] = words;
  if (helpOption.names.includes(first)) return false;
  if (process.stdin.isTTY && process.stdout.isTTY) return isForTerminal(words);
  const name = first.replace(/=.*$/s, '');
  return Object.values(tuiCommand.options).some(({ names }) => names.includes(name));
}

/** True for options, or a quoted message followed by options, without a command: they are for the terminal surface. */
export const isForTerminal = ([first = '', second = '-']: readonly string[]): boolean =>
  first.startsWith('-') || (/\S\s+\S/.test(first) && second.startsWith('-'));
