import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandGroup, CommandRow } from './command-group.ts';
import { didYouMean } from './parse-command.ts';

const aliases: Readonly<Record<string, string>> = { e: 'exec' };

/** The command of a group by its name. */
export function findCommand(group: CommandGroup, written: string): CommandRow | CommandGroup | Outcome<'usage'> {
  const name = group.name === '' && Object.hasOwn(aliases, written) ? (aliases[written] ?? written) : written;
  const found = Object.hasOwn(group.commands, name) ? group.commands[name] : undefined;
  if (found !== undefined) return found;
  const prefix = group.name === '' ? '' : `${group.name}: `;
  const own = group.name === '' ? ['--help', '--version'] : ['--help'];
  const help = group.name === '' ? 'capstan --help' : `capstan ${group.name} --help`;
  return {
    code: 'usage',
    message: `${prefix}there is no command ${JSON.stringify(written)}.`,
    next: `${didYouMean(written, [...Object.keys(group.commands), ...own])}See \`${help}\`.`,
  };
}
