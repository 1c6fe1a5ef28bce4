import { type Command, type CommandOption, shownOptions } from '../commands/command.ts';
import { allCommands, type CommandGroup, commandNames } from '../commands/command-group.ts';
import {
  groupsOf,
  placeOfThread,
  profilesCommand,
  programOptions,
  takesProfile,
  threadsCommand,
  valuesOf,
  wordsAfterVariants,
  wordsOf,
} from './offers.ts';

export function fishScript(table: CommandGroup): string {
  const names = commandNames(table).join(' ');
  const otherNames = commandNames(table)
    .filter((name) => name !== 'help')
    .join(' ');
  const lines = [
    `complete -c capstan -n '__fish_use_subcommand' -f -a '${names} ${programOptions.join(' ')}'`,
    `complete -c capstan -n '${seen('help')}; and not ${seen(otherNames)}' -f -a '${names}'`,
    ...groupsOf(table).map((group) => {
      const below = commandNames(group).join(' ');
      return `complete -c capstan -n '${seen(group.name)}; and not ${seen(below)}' -f -a '${below}'`;
    }),
    ...allCommands(table).flatMap((command) => linesOf(command)),
  ];
  return `${lines.join('\n')}\n`;
}

function linesOf(command: Command): readonly string[] {
  const start = `complete -c capstan -n '${condition(command)}'`;
  return [
    ...wordLines(command),
    ...wordsAfterVariants(command).map(
      ([variant, after]) =>
        `complete -c capstan -n '${condition(command)}; and ${seen(variant)}' -f -a '${after.join(' ')}'`,
    ),
    ...threadLines(command),
    ...shownOptions(command).flatMap((option) =>
      option.names.map((name) => `${start} ${flag(name)}${valueFlag(option)} -d '${option.help.replaceAll("'", '')}'`),
    ),
  ];
}

/** Fish shows what is behind the tab beside each word. */
function threadLines(command: Command): readonly string[] {
  const place = placeOfThread(command);
  if (place === 'nowhere') return [];
  const behind = place === 'anywhere' ? '' : `; and ${seen(Object.keys(command.variants ?? {}).join(' '))}`;
  return [`complete -c capstan -n '${condition(command)}${behind}' -f -k -a '(capstan ${threadsCommand} 2>/dev/null)'`];
}

/** A command has one variant. */
function wordLines(command: Command): readonly string[] {
  const words = wordsOf(command);
  if (words.length === 0) return [];
  const variants = Object.keys(command.variants ?? {});
  const once = variants.length === 0 ? '' : `; and not ${seen(variants.join(' '))}`;
  const noFiles = takesFiles(command) ? '' : ' -f';
  return [`complete -c capstan -n '${condition(command)}${once}'${noFiles} -a '${words.join(' ')}'`];
}

/** Files of the folder are words of the command, or of the program that it runs. */
function takesFiles({ words = [] }: Command): boolean {
  return words.some(({ name, verbatim }) => name === 'FILE' || verbatim === true);
}

function condition({ name }: Command): string {
  return name === 'exec' ? seen('exec e') : name.split(' ').map(seen).join('; and ');
}

function seen(names: string): string {
  return `__fish_seen_subcommand_from ${names}`;
}

function flag(name: string): string {
  return name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
}

function valueFlag(option: CommandOption): string {
  if (option.value === undefined) return '';
  const values = valuesOf(option);
  if (takesProfile(option)) return ` -x -a '${values.join(' ')} (capstan ${profilesCommand} 2>/dev/null)'`;
  return values.length === 0 ? ' -r' : ` -x -a '${values.join(' ')}'`;
}
