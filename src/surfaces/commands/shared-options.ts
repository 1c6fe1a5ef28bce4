import { type CommandOption, type CommandWord, flag } from './command.ts';

export const lastOption = flag('--last', 'the newest thread of this folder', { choosesThread: true });

/** What every command takes that does one thing to one thread. */
export const operationOptions = {
  last: lastOption,
  all: flag('--all', 'with --last: the newest thread of any folder'),
  json: flag('--json', 'print the result as JSON'),
} as const satisfies Readonly<Record<string, CommandOption>>;

export const jsonOption = flag('--json', 'print one JSON object');

/** The thread, unless `--last` stands for it. */
export const threadWord = {
  name: 'THREAD',
  missing: 'which thread? Give its id, its name or --last.',
} as const satisfies CommandWord;
