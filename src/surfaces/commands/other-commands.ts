import { type Command, flag } from './command.ts';

export const demoCommand = {
  name: 'demo',
  does: 'see Capstan work, without a model or a key',
  summary: 'Shows Capstan at work with a scripted model: you need no key.',
  forms: ['[--keep]'],
  words: [],
  options: {
    keep: flag('--keep', "keep the demo's files until the next demo, to look around in them"),
  },
} as const satisfies Command;

export const completionCommand = {
  name: 'completion',
  does: 'print the completion script for your shell',
  summary: 'Prints a script that completes commands, options, values and threads in your shell.',
  forms: ['bash|zsh|fish'],
  examples: [
    ['source <(capstan completion bash)', 'The line for bash, in ~/.bashrc'],
    ['source <(capstan completion zsh)', 'The line for zsh, in ~/.zshrc'],
    ['capstan completion fish | source', 'The line for fish, in ~/.config/fish/config.fish'],
  ],
  words: [{ name: 'SHELL', choices: ['bash', 'zsh', 'fish'], missing: 'for which shell? Name bash, zsh or fish.' }],
  options: {},
  notes: 'Put the line for your shell into its start-up file, then open a new shell.',
} as const satisfies Command;

export const helpCommand = {
  name: 'help',
  does: 'show what a command does and takes',
  summary: 'Shows what a command does and takes.',
  forms: ['[COMMAND …]'],
  examples: [['capstan help threads rollback', 'The same as `capstan threads rollback --help`']],
  words: [{ name: 'COMMAND', many: true }],
  options: {},
} as const satisfies Command;

export const completeCommand = {
  name: 'complete',
  hidden: true,
  does: '',
  summary: 'Prints what may stand in the place of the last word, for the completion of a shell.',
  forms: ['bash -- LINE REPLACED', 'zsh|fish -- WORD …'],
  words: [{ name: 'SHELL' }, { name: 'WORD', many: true }],
  options: {},
} as const satisfies Command;
