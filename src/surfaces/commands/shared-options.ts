import type { CommandOption, CommandWord } from './command.ts';

export const lastOption = {
  names: ['--last'],
  choosesThread: true,
  help: 'the thread of this folder that was used last',
} as const satisfies CommandOption;

/** What every command takes that does one thing to one thread. */
export const operationOptions = {
  last: lastOption,
  all: { names: ['--all'], help: 'with --last: of any folder' },
  json: { names: ['--json'], help: 'print the result as JSON' },
} as const satisfies Readonly<Record<string, CommandOption>>;

export const jsonOption = { names: ['--json'], help: 'print one JSON object' } as const satisfies CommandOption;

/** The thread, unless `--last` stands for it. */
export const threadWord = {
  name: 'THREAD',
  missing: 'which thread? Give its id, its name or --last.',
} as const satisfies CommandWord;
