import { type Command, flag, option } from './command.ts';

export const execpolicyCheckCommand = {
  name: 'execpolicy check',
  does: 'show which rules match a command',
  summary: 'Shows as JSON which rules of the given files match a command. Capstan does not run the command.',
  forms: ['-r FILE… [options] [--] COMMAND…'],
  examples: [
    ['capstan execpolicy check -r my.rules git push --force', 'What the rules in my.rules say about a command'],
    ['capstan execpolicy check --pretty -r a.rules -r b.rules ls', 'Two files together, as JSON that is easy to read'],
  ],
  words: [{ name: 'COMMAND', many: true, verbatim: true, missing: 'which command? Write it after the options.' }],
  options: {
    rules: option('-r, --rules FILE', 'a file with rules; at least one is needed', { repeats: true }),
    pretty: flag('--pretty', 'print the JSON over several lines'),
    resolveHostExecutables: flag(
      '--resolve-host-executables',
      'let a path to a program match rules about its name, where host_executable allows it',
    ),
  },
  freeWord: 'command',
  notes:
    'Everything from the first word of COMMAND on belongs to it. The strictest rule decides: forbidden, then prompt, then allow.\n' +
    'Exit codes: 0 the files were read; 1 a file cannot be read or has an error; 2 wrong usage.',
} as const satisfies Command;
