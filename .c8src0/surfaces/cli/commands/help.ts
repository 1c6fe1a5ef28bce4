import type { Outcome } from '../../../protocol/outcome.ts';
import { print } from '../../views/terminal/print.ts';
import { commandHelp, findCommand, groupHelp } from '../../views/command-line/command-group.ts';
import type { CommandGroup, CommandWork } from '../../views/command-line/command-group.ts';
import type { helpCommand } from '../../views/command-line/surface-commands.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';

export function createHelpCommand(table: CommandGroup): CommandWork<typeof helpCommand> {
  return { run: ({ words }) => showHelp(table, words) };
}

function showHelp(group: CommandGroup, [name, ...rest]: readonly string[]): number | Outcome<'usage'> {
  if (name === undefined) {
    print(groupHelp(group), 'text');
    return 0;
  }
  const found = findCommand(group, name, ['--help']);
  if ('code' in found) return found;
  if ('commands' in found) return showHelp(found, rest);
  // The text of `exec` also covers `exec resume`.
  const [surplus] = Object.hasOwn(found.command.variants ?? {}, rest[0] ?? '') ? rest.slice(1) : rest;
  if (surplus !== undefined) {
    const { name: of } = found.command;
    const message = `${of} has no command ${JSON.stringify(surplus)}.`;
    return wrongUsage({ name: 'help' }, message, `See \`capstan ${of} --help\`.`);
  }
  print(commandHelp(found.command), 'text');
  return 0;
}
