import { usedGates } from '../../config/feature-gates.ts';
import { keyNames } from '../../config/known-key.ts';
import { type Command, type CommandOption, helpOption, keyAndValue, shownOptions } from '../commands/command.ts';
import type { CommandGroup } from '../commands/command-group.ts';

/** What the program itself takes in the place of a command. */
export const programOptions = [...helpOption.names.filter((name) => name.startsWith('--')), '--version'];

/** The words that may follow a command's name, besides options. */
export function wordsOf({ variants = {}, words = [] }: Command): readonly string[] {
  return [...Object.keys(variants), ...words.flatMap(({ choices = [] }) => choices)];
}

/** Words that may follow a variant, where they are known: the keys behind `config explain`, the gates behind `features enable`. */
export function wordsAfterVariants({ variants = {} }: Command): readonly (readonly [string, readonly string[]])[] {
  const known: Readonly<Record<string, () => readonly string[]>> = {
    KEY: keyNames,
    FEATURE: () => usedGates.map(({ name }) => name),
  };
  return Object.entries(variants).flatMap(([variant, words]) =>
    words.flatMap(({ name }) => (known[name] === undefined ? [] : [[variant, known[name]()] as const])),
  );
}

/** The command that prints threads, each with a tab and what it is about. */
export const threadsCommand = 'complete-threads';

/** The command that prints the user's permission profiles, a line for each. */
export const profilesCommand = 'complete-profiles';

/** Whether the option takes a permission profile. */
export function takesProfile({ names }: CommandOption): boolean {
  return names.includes('--permission-profile');
}

/** Where a command takes a thread. */
export function placeOfThread({ words = [], variants = {} }: Command): 'anywhere' | 'behind a variant' | 'nowhere' {
  const isThread = ({ name }: { readonly name: string }): boolean => name === 'THREAD';
  if (words.some(isThread)) return 'anywhere';
  return Object.values(variants).some((each) => each.some(isThread)) ? 'behind a variant' : 'nowhere';
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
