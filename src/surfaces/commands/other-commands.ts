import { type Command, flag } from './command.ts';

export const demoCommand = {
  name: 'demo',
  does: 'see it work, without a model',
  summary: 'Shows the engine at work, without a model and without a key.',
  forms: ['[--keep]'],
  words: [],
  options: {
    keep: flag('--keep', "keep the demo's files until the next demo, to look around in them"),
  },
} as const satisfies Command;

export const completionCommand = {
  name: 'completion',
  does: 'completion for your shell',
  summary: 'Prints a script that completes commands and options in your shell.',
  forms: ['bash|zsh|fish'],
  words: [{ name: 'SHELL', choices: ['bash', 'zsh', 'fish'], missing: 'for which shell? Name bash, zsh or fish.' }],
  options: {},
  notes: [
    'bash: capstan completion bash > ~/.local/share/bash-completion/completions/capstan',
    'zsh:  capstan completion zsh > "${fpath[1]}/_capstan"',
    'fish: capstan completion fish > ~/.config/fish/completions/capstan.fish',
  ].join('\n'),
} as const satisfies Command;

export const helpCommand = {
  name: 'help',
  does: 'what a command does and takes',
  summary: 'Shows what a command does and takes.',
  forms: ['[COMMAND …]'],
  words: [{ name: 'COMMAND', many: true }],
  options: {},
} as const satisfies Command;
