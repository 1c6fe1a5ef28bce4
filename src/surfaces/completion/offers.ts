import { keyNames } from '../../config/known-key.ts';
import { type Command, type CommandOption, helpOption, keyAndValue, shownOptions } from '../commands/command.ts';
import type { CommandGroup } from '../commands/command-group.ts';

/** What the program itself takes in the place of a command. */
export const programOptions = [...helpOption.names.filter((name) => name.startsWith('--')), '--version'];

/** The words that may follow a command's name, besides options. */
export function wordsOf({ variants = {}, words = [] }: Command): readonly string[] {
  return [...Object.keys(variants), ...words.flatMap(({ choices = [] }) => choices)];
}

export function optionNames(command: Command): readonly string[] {
  return shownOptions(command).flatMap(({ names }) => names);
}

/** The values of an option that are known. */
export function valuesOf({ value, choices = [], offers = [] }: CommandOption): readonly string[] {
  if (value === keyAndValue) return keyNames().map((name) => `${name}=`);
  return [...choices, ...offers];
}

/** The groups below the program: `threads`. */
export function groupsOf({ commands }: CommandGroup): readonly CommandGroup[] {
  return Object.values(commands).flatMap((entry) => ('commands' in entry ? [entry] : []));
}
